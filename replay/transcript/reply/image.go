package reply

import (
	"encoding/base64"
	"encoding/binary"
	"strings"

	"snapscope/replay/tape"
	"snapscope/snapshot"
)

// imageSize is the size of a picture in a content block, as far as the first
// bytes of its data tell: PNG, JPEG, GIF or WebP in base64, in the forms of MCP,
// Anthropic, OpenAI and Gemini. The zero size is not known.
func imageSize(x tape.Value) snapshot.Size {
	for _, path := range [][]string{
		{"source", "data"}, {"data"}, {"image_url", "url"}, {"image_url"}, {"inlineData", "data"}, {"image"},
	} {
		v := x.Get(path...)
		if v.Kind() != tape.String {
			continue
		}
		raw := v.Raw()
		return sizeOf(string(raw[1 : 1+min(len(raw)-2, maxHeader)]))
	}
	return snapshot.Size{}
}

// maxHeader is how much of a picture's base64 is looked at: a JPEG may hold a
// thumbnail before it tells its size.
const maxHeader = 128 << 10

// sizeOf reads the size off a picture's base64, with "data:…;base64," before it
// or without.
func sizeOf(data string) snapshot.Size {
	if strings.HasPrefix(data, "data:") {
		_, rest, ok := strings.Cut(data, ",")
		if !ok {
			return snapshot.Size{}
		}
		data = rest
	}
	if strings.Contains(data, `\`) {
		data = strings.NewReplacer(`\/`, "/", `\n`, "").Replace(data)
	}
	data = strings.TrimRight(data, "=")
	b, err := base64.RawStdEncoding.DecodeString(data[:len(data)/4*4])
	if err != nil && len(b) == 0 {
		return snapshot.Size{}
	}
	w, h := headerSize(b)
	if w <= 0 || h <= 0 || w > 1<<16 || h > 1<<16 {
		return snapshot.Size{}
	}
	return snapshot.Size{W: w, H: h}
}

// headerSize reads width and height from the start of a picture's bytes.
func headerSize(b []byte) (w, h int) {
	be, le := binary.BigEndian, binary.LittleEndian
	switch {
	case len(b) >= 24 && string(b[:8]) == "\x89PNG\r\n\x1a\n": // PNG, 11.2.2 IHDR
		return int(be.Uint32(b[16:])), int(be.Uint32(b[20:]))
	case len(b) >= 10 && string(b[:4]) == "GIF8":
		return int(le.Uint16(b[6:])), int(le.Uint16(b[8:]))
	case len(b) >= 30 && string(b[:4]) == "RIFF" && string(b[8:12]) == "WEBP":
		return webpSize(b)
	case len(b) >= 4 && b[0] == 0xff && b[1] == 0xd8:
		return jpegSize(b)
	}
	return 0, 0
}

// webpSize reads a WebP's first chunk (RFC 9649).
func webpSize(b []byte) (w, h int) {
	le := binary.LittleEndian
	switch string(b[12:16]) {
	case "VP8 ":
		return int(le.Uint16(b[26:]) & 0x3fff), int(le.Uint16(b[28:]) & 0x3fff)
	case "VP8L":
		n := le.Uint32(b[21:])
		return int(n&0x3fff) + 1, int(n>>14&0x3fff) + 1
	case "VP8X":
		return int(b[24]) + int(b[25])<<8 + int(b[26])<<16 + 1, int(b[27]) + int(b[28])<<8 + int(b[29])<<16 + 1
	}
	return 0, 0
}

// jpegSize walks over a JPEG's segments to the frame header (ITU T.81, B.2.2).
func jpegSize(b []byte) (w, h int) {
	for i := 2; i+9 < len(b) && b[i] == 0xff; {
		marker := b[i+1]
		switch {
		case marker == 0xff:
			i++
			continue
		case marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 && marker != 0xc8 && marker != 0xcc:
			return int(binary.BigEndian.Uint16(b[i+7:])), int(binary.BigEndian.Uint16(b[i+5:]))
		}
		i += 2 + int(binary.BigEndian.Uint16(b[i+2:]))
	}
	return 0, 0
}
