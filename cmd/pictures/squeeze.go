package main

import (
	"bytes"
	"image"
	"image/color"
	"image/png"
	"sort"
)

// squeeze packs a picture as a PNG with a palette, which is a third of what the
// browser makes. A screen has few colours; the many are the shades at the edges
// of letters, and those may be a little off.
func squeeze(img image.Image) ([]byte, error) {
	size := img.Bounds()
	counts := map[color.RGBA]int{}
	for y := size.Min.Y; y < size.Max.Y; y++ {
		for x := size.Min.X; x < size.Max.X; x++ {
			counts[rgba(img.At(x, y))]++
		}
	}
	colours, nearest := choose(counts)
	out := image.NewPaletted(size, colours)
	for y := size.Min.Y; y < size.Max.Y; y++ {
		for x := size.Min.X; x < size.Max.X; x++ {
			out.SetColorIndex(x, y, nearest[rgba(img.At(x, y))])
		}
	}
	var b bytes.Buffer
	enc := png.Encoder{CompressionLevel: png.BestCompression}
	err := enc.Encode(&b, out)
	return b.Bytes(), err
}

// choose answers up to 256 colours for those that are counted, and for each of
// them the index of its own. It takes the most frequent first, and passes over
// what is hardly different from one it has, ever less strictly until all that
// fit are chosen: so flat grounds keep their exact colours and a rare hue is
// not crowded out by another's shades.
func choose(counts map[color.RGBA]int) (color.Palette, map[color.RGBA]uint8) {
	all := make([]color.RGBA, 0, len(counts))
	for c := range counts {
		all = append(all, c)
	}
	sort.Slice(all, func(i, j int) bool {
		a, b := all[i], all[j]
		if counts[a] != counts[b] {
			return counts[a] > counts[b]
		}
		return number(a) < number(b) // the same picture for the same screen
	})
	var chosen []color.RGBA
	for apart := 1; ; apart += apart {
		chosen = chosen[:0]
		for _, c := range all {
			if _, d := closest(chosen, c); d >= apart {
				if chosen = append(chosen, c); len(chosen) > 256 {
					break
				}
			}
		}
		if len(chosen) <= 256 {
			break
		}
	}
	out, index := make(color.Palette, len(chosen)), make(map[color.RGBA]uint8, len(all))
	for i, c := range chosen {
		out[i] = c
	}
	for _, c := range all {
		i, _ := closest(chosen, c)
		index[c] = uint8(i)
	}
	return out, index
}

// closest is the colour nearest to c and the square of its distance; very far
// where there is none.
func closest(of []color.RGBA, c color.RGBA) (at, distance int) {
	distance = 1 << 30
	for i, o := range of {
		r, g, b := int(o.R)-int(c.R), int(o.G)-int(c.G), int(o.B)-int(c.B)
		if d := r*r + g*g + b*b; d < distance {
			at, distance = i, d
		}
	}
	return at, distance
}

func number(c color.RGBA) int { return int(c.R)<<16 | int(c.G)<<8 | int(c.B) }

func rgba(c color.Color) color.RGBA {
	out, _ := color.RGBAModel.Convert(c).(color.RGBA)
	return out
}
