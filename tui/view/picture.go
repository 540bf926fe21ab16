package view

import (
	"bytes"
	"fmt"
	"image"
)

// Picture shows the page as the browser draws it, two pixels a cell.
type Picture struct {
	Step  int // the step it was taken after
	Img   image.Image
	Err   string
	Asked bool
}

// maxPicture bounds the pixels of a picture: a page could be made to be huge.
const maxPicture = 40_000_000

// DecodePicture reads a PNG of a sensible size and brings it to at most 400
// pixels a side, so that drawing it later is quick.
func DecodePicture(data []byte) (image.Image, error) {
	conf, _, err := image.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("reading the picture: %w", err)
	}
	if conf.Width <= 0 || conf.Height <= 0 || conf.Width*conf.Height > maxPicture {
		return nil, fmt.Errorf("the picture is too large: %d×%d", conf.Width, conf.Height)
	}
	img, _, err := image.Decode(bytes.NewReader(data))
	if err != nil {
		return nil, fmt.Errorf("reading the picture: %w", err)
	}
	w, h := conf.Width, conf.Height
	if f := max(w, h); f > 400 {
		w, h = max(1, w*400/f), max(1, h*400/f)
	}
	return Scale(img, w, h), nil
}

// Scale averages an image down to w by h pixels.
func Scale(src image.Image, w, h int) *image.RGBA {
	out := image.NewRGBA(image.Rect(0, 0, w, h))
	b := src.Bounds()
	for y := range h {
		y0, y1 := b.Min.Y+y*b.Dy()/h, b.Min.Y+max((y+1)*b.Dy()/h, y*b.Dy()/h+1)
		for x := range w {
			x0, x1 := b.Min.X+x*b.Dx()/w, b.Min.X+max((x+1)*b.Dx()/w, x*b.Dx()/w+1)
			var r, g, bl, n uint32
			for sy := y0; sy < y1; sy++ {
				for sx := x0; sx < x1; sx++ {
					cr, cg, cb, _ := src.At(sx, sy).RGBA()
					r, g, bl, n = r+cr>>8, g+cg>>8, bl+cb>>8, n+1
				}
			}
			i := out.PixOffset(x, y)
			out.Pix[i], out.Pix[i+1], out.Pix[i+2], out.Pix[i+3] = uint8(r/n), uint8(g/n), uint8(bl/n), 255
		}
	}
	return out
}
