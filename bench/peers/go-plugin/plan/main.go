// A command that parses the output of `pulumi preview --json` with Pulumi's own types, and prints how many steps it has.
package main

import (
	"encoding/json"
	"fmt"
	"os"

	"github.com/pulumi/pulumi/pkg/v3/display"
)

func main() {
	text, err := os.ReadFile(os.Args[1])
	if err == nil {
		var plan display.PreviewDigest
		if err = json.Unmarshal(text, &plan); err == nil {
			fmt.Println(len(plan.Steps))
			return
		}
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}
