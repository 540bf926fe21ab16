package token_test

import (
	"fmt"

	"snapscope/snapshot/token"
)

func Example() {
	line := `- checkbox "Select Melonie Parker" [checked] [ref=e47]`
	for _, name := range []string{"o200k_base", "chars4"} {
		c, err := token.New(name)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(c.Name(), c.Exact(), c.Count(line))
	}
	// Output:
	// o200k_base true 16
	// chars4 false 14
}
