// Package pubsub has what the documents use of the package with this name of Pulumi's Google Cloud SDK.
package pubsub

import "github.com/pulumi/pulumi/sdk/v3/go/pulumi"

// Topic stands for the resource with this name.
type Topic struct {
	pulumi.CustomResourceState
}

// TopicArgs are the inputs of a Topic.
type TopicArgs struct {
	Name pulumi.StringPtrInput
}

// NewTopic declares a topic.
func NewTopic(ctx *pulumi.Context, name string, args *TopicArgs, opts ...pulumi.ResourceOption) (*Topic, error) {
	topic := &Topic{}
	return topic, ctx.RegisterResource("gcp:pubsub/topic:Topic", name, pulumi.Map{"name": args.Name}, topic, opts...)
}
