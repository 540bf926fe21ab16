package fold

// grammarPage and grammarFolded are the example of the grammar: a page and what
// the strategy makes of it.
const (
	grammarPage = `- table "Leads" [ref=e1]:
  - row "Select Ada Ada Open" [ref=e2]:
    - cell "Select Ada" [ref=e3]:
      - checkbox "Select Ada" [checked] [ref=e4]
    - cell "Ada" [ref=e5]
    - cell "Open" [ref=e6]
  - row "Select Ben Ben Won" [ref=e7]:
    - cell "Select Ben" [ref=e8]:
      - checkbox "Select Ben" [ref=e9]
    - cell "Ben" [ref=e10]
    - cell "Won" [ref=e11]
  - row "Select Cy Cy Open | new" [ref=e12]:
    - cell "Select Cy" [ref=e13]:
      - checkbox "Select Cy" [ref=e14]
    - cell "Cy" [ref=e15]
    - cell "Open | new" [ref=e16]`

	grammarFolded = foldHead + `
- table "Leads" [ref=e1]:
  *:
    - row = [ref]:
      - cell = [ref]:
        - checkbox "Select …1" [ref]
      - cell …1 [ref]
      - cell … [ref]
  * e2 e3 e4 [checked] e5 Ada | e6 Open
  * e7 e8 e9 e10 Ben | e11 Won
  * e12 e13 e14 e15 Cy | e16 "Open | new"`
)

// grammar tells an agent how to read a folded page, for its prompt.
const grammar = `A folded page is a page in which elements of one build are written once as a pattern, and each of them as one line.
*:        begins a pattern ("*2:" the second one); the lines below it are an element and what is in it, with holes
[ref]     the element has a ref, in the item's line
…         a name, text or link that stands in the item's line; …1 is one that other names repeat
=         the name is what the names and texts below it say, joined by spaces
"a …1"    the name is these words, with the value …1 in it; without … it is the same for all
* e2 e3   an item of the pattern ("* " of the first, "*2 " of the second): in the pattern's order each element's ref, its states
          in brackets, its values; a value ends at " | " or the line's end, or is a JSON string in quotes
="Name"   behind a ref: the name of this element, where it is not the pattern's
Every other line is the page's own. This page:
` + grammarPage + `
is folded to:
` + grammarFolded
