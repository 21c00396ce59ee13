// A minimal Go plugin that makes the same requests as Perimeter for one association: POST, poll the operation, GET. It has
// no checks, no retries and no resuming, so it shows the minimum cost of a plugin.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"time"

	p "github.com/pulumi/pulumi-go-provider"
	"github.com/pulumi/pulumi-go-provider/infer"
)

// One client for all calls, which keeps as many connections open as the engine sends calls at a time.
var client = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 64}}

type Association struct{}

type AssociationArgs struct {
	AssociationID    string `pulumi:"firewallEndpointAssociationId"`
	FirewallEndpoint string `pulumi:"firewallEndpoint"`
	Network          string `pulumi:"network"`
	Location         string `pulumi:"location"`
	Project          string `pulumi:"project"`
}

type AssociationState struct {
	AssociationArgs
	Name        string `pulumi:"name" json:"name"`
	State       string `pulumi:"state" json:"state"`
	CreateTime  string `pulumi:"createTime" json:"createTime"`
	UpdateTime  string `pulumi:"updateTime" json:"updateTime"`
	Reconciling bool   `pulumi:"reconciling" json:"reconciling"`
	Disabled    bool   `pulumi:"disabled" json:"disabled"`
}

type operation struct {
	Name  string          `json:"name"`
	Done  bool            `json:"done"`
	Error json.RawMessage `json:"error"`
}

func (*Association) Create(ctx context.Context, req infer.CreateRequest[AssociationArgs]) (infer.CreateResponse[AssociationState], error) {
	args := req.Inputs
	state := AssociationState{AssociationArgs: args}
	parent := fmt.Sprintf("projects/%s/locations/%s", args.Project, args.Location)
	name := parent + "/firewallEndpointAssociations/" + args.AssociationID
	if req.DryRun {
		return infer.CreateResponse[AssociationState]{ID: name, Output: state}, nil
	}
	body, err := json.Marshal(map[string]string{"network": args.Network, "firewallEndpoint": args.FirewallEndpoint})
	if err != nil {
		return infer.CreateResponse[AssociationState]{}, err
	}
	var op operation
	path := parent + "/firewallEndpointAssociations?firewallEndpointAssociationId=" + args.AssociationID
	if err := call(ctx, http.MethodPost, path, body, &op); err != nil {
		return infer.CreateResponse[AssociationState]{}, err
	}
	if err := wait(ctx, op); err != nil {
		return infer.CreateResponse[AssociationState]{}, err
	}
	if err := call(ctx, http.MethodGet, name, nil, &state); err != nil {
		return infer.CreateResponse[AssociationState]{}, err
	}
	return infer.CreateResponse[AssociationState]{ID: name, Output: state}, nil
}

func (*Association) Delete(ctx context.Context, req infer.DeleteRequest[AssociationState]) (infer.DeleteResponse, error) {
	var op operation
	if err := call(ctx, http.MethodDelete, req.ID, nil, &op); err != nil {
		return infer.DeleteResponse{}, err
	}
	return infer.DeleteResponse{}, wait(ctx, op)
}

func wait(ctx context.Context, op operation) error {
	for pause := time.Duration(0); !op.Done; pause = 250 * time.Millisecond {
		time.Sleep(pause)
		if err := call(ctx, http.MethodGet, op.Name, nil, &op); err != nil {
			return err
		}
	}
	if len(op.Error) > 0 {
		return fmt.Errorf("the operation failed: %s", op.Error)
	}
	return nil
}

func call(ctx context.Context, method, path string, body []byte, into any) error {
	url := "http://" + os.Getenv("PERIMETER_EMULATOR_HOST") + "/v1beta1/" + path
	request, err := http.NewRequestWithContext(ctx, method, url, bytes.NewReader(body))
	if err != nil {
		return err
	}
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	answer, err := client.Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = answer.Body.Close() }()
	text, err := io.ReadAll(answer.Body)
	if err != nil {
		return err
	}
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("HTTP %d: %s", answer.StatusCode, text)
	}
	return json.Unmarshal(text, into)
}

func main() {
	provider, err := infer.NewProviderBuilder().WithResources(infer.Resource(&Association{})).Build()
	if err == nil {
		err = p.RunProvider(context.Background(), "benchpeer", "0.1.0", provider)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
