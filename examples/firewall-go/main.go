// Program firewall-go links a firewall endpoint to a network, grants roles to teams, and reads resources that exist
// already.
package main

import (
	"fmt"
	"strings"

	apigateway "github.com/pulumi-perimeter/pulumi-perimeter/sdk/go/perimeter/apigateway/v1beta"
	datamigration "github.com/pulumi-perimeter/pulumi-perimeter/sdk/go/perimeter/datamigration/v1beta1"
	eventing "github.com/pulumi-perimeter/pulumi-perimeter/sdk/go/perimeter/eventing/v1"
	fleet "github.com/pulumi-perimeter/pulumi-perimeter/sdk/go/perimeter/fleet/v1beta"
	healthcare "github.com/pulumi-perimeter/pulumi-perimeter/sdk/go/perimeter/healthcare/v1beta1"
	iam "github.com/pulumi-perimeter/pulumi-perimeter/sdk/go/perimeter/iam/v1"
	networksecurity "github.com/pulumi-perimeter/pulumi-perimeter/sdk/go/perimeter/networksecurity/v1beta1"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi"
	"github.com/pulumi/pulumi/sdk/v3/go/pulumi/config"
)

func main() {
	pulumi.Run(firewall)
}

func firewall(ctx *pulumi.Context) error {
	own := config.New(ctx, "")
	project := config.Require(ctx, "perimeter:project")
	zone := own.Require("zone")
	region := zone[:strings.LastIndex(zone, "-")]

	association, err := networksecurity.NewFirewallEndpointAssociation(ctx, "prod",
		&networksecurity.FirewallEndpointAssociationArgs{
			FirewallEndpoint: pulumi.String(
				fmt.Sprintf("organizations/123456789/locations/%s/firewallEndpoints/inspection", zone)),
			Network:                       pulumi.String(fmt.Sprintf("projects/%s/global/networks/prod", project)),
			Location:                      pulumi.String(zone),
			FirewallEndpointAssociationId: pulumi.String("prod"),
			Labels:                        pulumi.StringMap{"team": pulumi.String(own.Require("team"))},
		})
	if err != nil {
		return err
	}

	migration, err := datamigration.NewMigrationJobIamMember(ctx, "migration", &datamigration.MigrationJobIamMemberArgs{
		Name:   pulumi.String(fmt.Sprintf("projects/%s/locations/us-central1/migrationJobs/orders-to-sql", project)),
		Role:   pulumi.String("roles/datamigration.admin"),
		Member: pulumi.String(own.Require("migrationMember")),
	})
	if err != nil {
		return err
	}

	records, err := healthcare.NewDatasetFhirStoreIamMember(ctx, "records", &healthcare.DatasetFhirStoreIamMemberArgs{
		Name:   pulumi.String(fmt.Sprintf("projects/%s/locations/us-central1/datasets/clinic/fhirStores/records", project)),
		Role:   pulumi.String("roles/healthcare.fhirResourceReader"),
		Member: pulumi.String("group:nurses@example.com"),
		Condition: &healthcare.ConditionArgs{
			Title: pulumi.String("office-hours"),
			Expression: pulumi.String(`request.time.getHours("Europe/Berlin") >= 7 && ` +
				`request.time.getHours("Europe/Berlin") < 19`),
		},
	})
	if err != nil {
		return err
	}

	// The direct form, which has its answer at once and its error in hand.
	scope, err := fleet.LookupScope(ctx, &fleet.LookupScopeArgs{Location: "global", ScopeId: "team-a"})
	if err != nil {
		return err
	}
	trigger := eventing.LookupTriggerOutput(ctx, eventing.LookupTriggerOutputArgs{
		Location:  pulumi.String(region),
		TriggerId: pulumi.String("orders"),
	})
	// Read only once the association exists: at preview of its creation this is not known.
	triggerPolicy := eventing.LookupTriggerIamPolicyOutput(ctx, eventing.LookupTriggerIamPolicyOutputArgs{
		Location:  pulumi.String(region),
		TriggerId: pulumi.String("orders"),
	}, pulumi.DependsOn([]pulumi.Resource{association}))
	gatewayPolicy := apigateway.LookupGatewayIamPolicyOutput(ctx, apigateway.LookupGatewayIamPolicyOutputArgs{
		Location:  pulumi.String(region),
		GatewayId: pulumi.String("edge"),
	})

	// A grant on any kind of resource, by its full name: here the topic that the trigger reads, an output of the lookup.
	publishers, err := iam.NewResourceIamMember(ctx, "publishers", &iam.ResourceIamMemberArgs{
		Resource: pulumi.Sprintf("//pubsub.googleapis.com/%s", trigger.Transport().Messaging().Topic()),
		Role:     pulumi.String("roles/pubsub.publisher"),
		Member:   pulumi.String("group:orders@example.com"),
	})
	if err != nil {
		return err
	}

	// Exactly these members may read the secret.
	password, err := iam.NewResourceIamBinding(ctx, "password", &iam.ResourceIamBindingArgs{
		Resource: pulumi.String(
			fmt.Sprintf("//secretmanager.googleapis.com/projects/%s/secrets/orders-password", project)),
		Role:    pulumi.String("roles/secretmanager.secretAccessor"),
		Members: pulumi.ToStringArray([]string{"group:database@example.com", "user:grace@example.com"}),
	})
	if err != nil {
		return err
	}

	archivePolicy := iam.LookupResourceIamPolicyOutput(ctx, iam.LookupResourceIamPolicyOutputArgs{
		Resource: pulumi.String("//storage.googleapis.com/projects/_/buckets/demo-project-archive"),
	})

	ctx.Export("association", association.Name)
	ctx.Export("state", association.State)
	ctx.Export("migrationPolicyEtag", migration.Etag)
	ctx.Export("recordsProject", records.Project)
	ctx.Export("scopeState", pulumi.String(scope.State.Code))
	ctx.Export("scopeNamespaceLabels", pulumi.ToStringMap(scope.NamespaceLabels))
	ctx.Export("ordersService", trigger.Destination().ManagedRun().Service())
	ctx.Export("triggerRoles", triggerPolicy.Bindings().ApplyT(func(bindings []eventing.Binding) []string {
		roles := []string{}
		for _, each := range bindings {
			roles = append(roles, each.Role)
		}
		return roles
	}))
	ctx.Export("gatewayConditions", gatewayPolicy.Bindings().ApplyT(func(bindings []apigateway.Binding) []string {
		titles := []string{}
		for _, each := range bindings {
			if each.Condition.Expression != "" {
				titles = append(titles, each.Condition.Title)
			}
		}
		return titles
	}))
	ctx.Export("publishersTopic", publishers.Resource)
	ctx.Export("passwordReaders", password.Members)
	ctx.Export("archiveRoles", archivePolicy.Bindings().ApplyT(func(bindings []iam.Binding) []string {
		roles := []string{}
		for _, each := range bindings {
			roles = append(roles, each.Role)
		}
		return roles
	}))
	return nil
}
