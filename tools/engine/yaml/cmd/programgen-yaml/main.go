// Command programgen-yaml is programgen (tools/engine/cli) for YAML, whose generator needs an older version of Pulumi's modules.
package main

import (
	"github.com/hashicorp/hcl/v2"
	"github.com/pulumi/pulumi-yaml/pkg/pulumiyaml/codegen"
	"github.com/pulumi/pulumi/pkg/v3/codegen/hcl2/syntax"
	"github.com/pulumi/pulumi/pkg/v3/codegen/pcl"
	"github.com/pulumi/pulumi/pkg/v3/codegen/schema"
)

func main() {
	(&host{bind: bind, generate: codegen.GenerateProgram}).run()
}

func bind(
	files []*syntax.File, loader *schema.LoaderClient, options ...pcl.BindOption,
) (*pcl.Program, hcl.Diagnostics, error) {
	return pcl.BindProgram(files, append(options, pcl.Loader(loader))...)
}
