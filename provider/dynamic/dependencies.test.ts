/** Which resources of a program may create what a preview does not find. */
import * as pulumi from "@pulumi/pulumi";
import { hasOtherResources } from "./dependencies";

class Thing extends pulumi.CustomResource {}
class Provider extends pulumi.ProviderResource {}

const newResource = ({ name }: { name: string }) => ({ id: name, state: {} });
beforeAll(() => pulumi.runtime.setMocks({ call: () => ({}), newResource }));
// What is still being registered ends before the suite.
afterAll(() => pulumi.runtime.disconnect());

test.each<[what: string, isOther: boolean, make: (options: pulumi.CustomResourceOptions) => unknown]>([
  ["nothing else", false, () => undefined],
  ["a resource of another provider", true, (options) => new Thing("gcp:pubsub/topic:Topic", "topic", {}, options)],
  ["a component of this process", false, (options) => new pulumi.ComponentResource("my:own:Part", "part", {}, options)],
  [
    "a component of another process",
    true,
    (options) => new pulumi.ComponentResource("their:own:Part", "part", {}, options, true),
  ],
  ["a provider", false, (options) => new Provider("gcp", "provider", {}, options)],
])("beside a grant and %s, the store of the grant may be created: %s", (_what, isOther, make) => {
  const parent = new pulumi.ComponentResource("pulumi:pulumi:Stack", "stack");
  const grant = new Thing("perimeter:healthcare/v1beta1:DatasetFhirStoreIamMember", "grant", {}, { parent });
  make({ parent });
  expect(hasOtherResources(grant, (each) => each === grant)).toBe(isOther);
});
