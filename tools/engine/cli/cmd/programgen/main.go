// Command programgen is a language host that only generates programs, with Pulumi's generators. It writes the code of
// `pulumi import` when language hosts of the CLI's version are not available: older ones do not have this method. The name
// under which it is started, such as pulumi-language-go, tells the language.
package main

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/hashicorp/hcl/v2"
	gogen "github.com/pulumi/pulumi/pkg/v3/codegen/go"
	"github.com/pulumi/pulumi/pkg/v3/codegen/hcl2/syntax"
	"github.com/pulumi/pulumi/pkg/v3/codegen/nodejs"
	"github.com/pulumi/pulumi/pkg/v3/codegen/pcl"
	"github.com/pulumi/pulumi/pkg/v3/codegen/python"
	"github.com/pulumi/pulumi/pkg/v3/codegen/schema"
)

var generators = map[string]generator{
	"nodejs": nodejs.GenerateProgram,
	"python": python.GenerateProgram,
	"go":     gogen.GenerateProgram,
}

func main() {
	language := strings.TrimPrefix(filepath.Base(os.Args[0]), "pulumi-language-")
	(&host{bind: bind, generate: generators[language]}).run()
}

func bind(
	files []*syntax.File, loader *schema.LoaderClient, options ...pcl.BindOption,
) (*pcl.Program, hcl.Diagnostics, error) {
	return pcl.BindProgram(files, loader, options...)
}
