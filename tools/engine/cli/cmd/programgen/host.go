package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"time"

	"github.com/hashicorp/hcl/v2"
	"github.com/pulumi/pulumi/pkg/v3/codegen/hcl2/syntax"
	"github.com/pulumi/pulumi/pkg/v3/codegen/pcl"
	"github.com/pulumi/pulumi/pkg/v3/codegen/schema"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/plugin"
	"github.com/pulumi/pulumi/sdk/v3/go/common/util/rpcutil"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/types/known/emptypb"
)

// generator writes the code of a program in one language.
type generator func(*pcl.Program) (map[string][]byte, hcl.Diagnostics, error)

// binder is pcl.BindProgram, whose arguments differ between versions of Pulumi's modules.
type binder func([]*syntax.File, *schema.LoaderClient, ...pcl.BindOption) (*pcl.Program, hcl.Diagnostics, error)

// host is a language host that only generates programs. The module of YAML has a link to this file, because its generator needs
// an older version of Pulumi's modules.
type host struct {
	pulumirpc.UnimplementedLanguageRuntimeServer
	bind     binder
	generate generator
}

// run serves the host, and ends the process with an error message if that fails.
func (h *host) run() {
	if err := h.serve(os.Args); err != nil {
		fmt.Fprintln(os.Stderr, "programgen:", err)
		os.Exit(1)
	}
}

// serve prints the port, as the engine expects it of a language host, and runs until the engine is gone.
func (h *host) serve(args []string) error {
	if h.generate == nil || len(args) < 2 {
		return errors.New("usage: pulumi-language-{nodejs,python,go,yaml} ENGINE")
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
	pulumirpc.RegisterLanguageRuntimeServer(server, h)
	go func() {
		<-ctx.Done()
		server.Stop()
	}()
	fmt.Println(listener.Addr().(*net.TCPAddr).Port)
	return server.Serve(listener)
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
	var options []pcl.BindOption
	if !req.Strict {
		options = pcl.NonStrictBindOptions()
	}
	program, found, err := h.bind(parser.Files, loader, options...)
	if err != nil {
		return nil, err
	}
	if found.HasErrors() {
		return &pulumirpc.GenerateProgramResponse{Diagnostics: plugin.HclDiagnosticsToRPCDiagnostics(found)}, nil
	}
	files, more, err := h.generate(program)
	if err != nil {
		return nil, err
	}
	return &pulumirpc.GenerateProgramResponse{
		Source:      files,
		Diagnostics: plugin.HclDiagnosticsToRPCDiagnostics(append(found, more...)),
	}, nil
}
