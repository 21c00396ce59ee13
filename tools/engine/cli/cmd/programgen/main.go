// Command programgen is a language host that only generates programs, with Pulumi's generators. It writes the code of
// `pulumi import` when language hosts of the CLI's version are not available: older ones do not have this method. The name
// under which it is started, such as pulumi-language-go, tells the language.
package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/hashicorp/hcl/v2"
	gogen "github.com/pulumi/pulumi/pkg/v3/codegen/go"
	"github.com/pulumi/pulumi/pkg/v3/codegen/hcl2/syntax"
	"github.com/pulumi/pulumi/pkg/v3/codegen/nodejs"
	"github.com/pulumi/pulumi/pkg/v3/codegen/pcl"
	"github.com/pulumi/pulumi/pkg/v3/codegen/python"
	"github.com/pulumi/pulumi/pkg/v3/codegen/schema"
	"github.com/pulumi/pulumi/sdk/v3/go/common/resource/plugin"
	"github.com/pulumi/pulumi/sdk/v3/go/common/util/rpcutil"
	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/types/known/emptypb"
)

type generator func(*pcl.Program) (map[string][]byte, hcl.Diagnostics, error)

var generators = map[string]generator{
	"nodejs": nodejs.GenerateProgram,
	"python": python.GenerateProgram,
	"go":     gogen.GenerateProgram,
}

func main() {
	if err := serve(os.Args); err != nil {
		fmt.Fprintln(os.Stderr, "programgen:", err)
		os.Exit(1)
	}
}

// serve prints the port, as the engine expects it of a language host, and runs until the engine is gone.
func serve(args []string) error {
	language := strings.TrimPrefix(filepath.Base(args[0]), "pulumi-language-")
	generate, known := generators[language]
	if !known || len(args) < 2 {
		return errors.New("usage: pulumi-language-{nodejs,python,go} ENGINE")
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
	pulumirpc.RegisterLanguageRuntimeServer(server, &host{generate: generate})
	go func() {
		<-ctx.Done()
		server.Stop()
	}()
	fmt.Println(listener.Addr().(*net.TCPAddr).Port)
	return server.Serve(listener)
}

type host struct {
	pulumirpc.UnimplementedLanguageRuntimeServer
	generate generator
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
	program, found, err := pcl.BindProgram(parser.Files, loader, options...)
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
