// Package notify tells the person on call.
package notify

import (
	"fmt"
	"os"
)

// Page writes a line that the log pipeline turns into a page.
func Page(text string) {
	fmt.Fprintf(os.Stdout, "PAGE %s\n", text)
}
