// Program go has outputs only.
package main

import (
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi/config"
)

func main() {
	pulumi.Run(func(ctx *pulumi.Context) error {
		ctx.Export("greeting", pulumi.String("hello "+config.Require(ctx, "who")))
		return nil
	})
}
