// Command programgen-yaml is programgen (tools/engine/cli) for YAML, whose generator needs an older version of Pulumi's modules.
package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"time"

	"github.com/pulumi/pulumi-yaml/pkg/pulumiyaml/codegen"
	"github.com/pulumi/pulumi/pkg/v3/codegen/hcl2/syntax"
	"github.com/pulumi/pulumi/pkg/v3/codegen/pcl"
	"github.com/pulumi/pulumi/pkg/v3/codegen/schema"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/plugin"
	"github.com/pulumi/pulumi/sdk/v3/go/common/util/rpcutil"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/types/known/emptypb"
)

func main() {
	if err := serve(os.Args); err != nil {
		fmt.Fprintln(os.Stderr, "programgen-yaml:", err)
		os.Exit(1)
	}
}

// serve prints the port, as the engine expects it of a language host, and runs until the engine is gone.
func serve(args []string) error {
	if len(args) < 2 {
		return errors.New("usage: pulumi-language-yaml ENGINE")
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	if err := rpcutil.Healthcheck(ctx, args[len(args)-1], time.Second, cancel); err != nil {
		return err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	server := grpc.NewServer()
	pulumirpc.RegisterLanguageRuntimeServer(server, &host{})
	go func() {
		<-ctx.Done()
		server.Stop()
	}()
	fmt.Println(listener.Addr().(*net.TCPAddr).Port)
	return server.Serve(listener)
}

type host struct {
	pulumirpc.UnimplementedLanguageRuntimeServer
}

// GetPluginInfo is called by the engine for every plugin that it starts.
func (h *host) GetPluginInfo(context.Context, *emptypb.Empty) (*pulumirpc.PluginInfo, error) {
	return &pulumirpc.PluginInfo{}, nil
}

func (h *host) GenerateProgram(
	_ context.Context, req *pulumirpc.GenerateProgramRequest,
) (*pulumirpc.GenerateProgramResponse, error) {
	loader, err := schema.NewLoaderClient(req.LoaderTarget)
	if err != nil {
		return nil, err
	}
	defer loader.Close()
	parser := syntax.NewParser()
	for path, text := range req.Source {
		if err := parser.ParseFile(strings.NewReader(text), path); err != nil {
			return nil, err
		}
		if parser.Diagnostics.HasErrors() {
			return nil, parser.Diagnostics
		}
	}
	options := []pcl.BindOption{pcl.Loader(loader)}
	if !req.Strict {
		options = append(options, pcl.NonStrictBindOptions()...)
	}
	program, found, err := pcl.BindProgram(parser.Files, options...)
	if err != nil {
		return nil, err
	}
	if found.HasErrors() {
		return &pulumirpc.GenerateProgramResponse{Diagnostics: plugin.HclDiagnosticsToRPCDiagnostics(found)}, nil
	}
	files, more, err := codegen.GenerateProgram(program)
	if err != nil {
		return nil, err
	}
	return &pulumirpc.GenerateProgramResponse{
		Source:      files,
		Diagnostics: plugin.HclDiagnosticsToRPCDiagnostics(append(found, more...)),
	}, nil
}
