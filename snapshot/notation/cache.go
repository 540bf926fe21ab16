package notation

import (
	"container/list"
	"sync"
)

// Cache keeps the Texts read last, up to a number of bytes, so that everyone
// who looks at a page shares one reading of it. It is safe for concurrent use.
type Cache struct {
	mu    sync.Mutex
	most  int
	bytes int
	order *list.List // of *cached, the one used last in front
	by    map[cacheKey]*list.Element
}

type cacheKey struct {
	hash    string
	dialect Dialect
}

type cached struct {
	key  cacheKey
	text *Text
}

// NewCache makes a cache that holds Texts of at most this many bytes in all
// (Text.Bytes). A Text that alone is larger is read each time.
func NewCache(most int) *Cache {
	return &Cache{most: most, order: list.New(), by: map[cacheKey]*list.Element{}}
}

// Read is the Text of a text with this content hash. The hash is any key that
// differs where texts do, such as snapshot.HashText.
func (c *Cache) Read(hash, text string, d Dialect) *Text {
	return c.Load(hash, d, func() string { return text })
}

// Load is Read for a text that takes work to get: it is asked for only where the
// cache does not hold it.
func (c *Cache) Load(hash string, d Dialect, text func() string) *Text {
	key := cacheKey{hash, d}
	c.mu.Lock()
	if e := c.by[key]; e != nil {
		c.order.MoveToFront(e)
		c.mu.Unlock()
		return e.Value.(*cached).text
	}
	c.mu.Unlock()
	t := Read(text(), d) // two callers may read one text at once; the first to be done is kept
	c.mu.Lock()
	defer c.mu.Unlock()
	if e := c.by[key]; e != nil {
		return e.Value.(*cached).text
	}
	c.by[key] = c.order.PushFront(&cached{key, t})
	for c.bytes += t.Bytes(); c.bytes > c.most; {
		last := c.order.Remove(c.order.Back()).(*cached)
		delete(c.by, last.key)
		c.bytes -= last.text.Bytes()
	}
	return t
}
