/** `X.get` of a resource that the stack has, under the same name and by a different spelling of its id. */
import { ENGINE_TIMEOUT_MS } from "../../support/engine";
import { association, ASSOCIATIONS, declaring, migrationGrant, MIGRATION_JOB } from "../../support/programs";
import { PackedStack } from "./packed-stack";

jest.setTimeout(ENGINE_TIMEOUT_MS);

let stack: PackedStack;
afterEach(() => stack?.dispose());

const LINK = `${ASSOCIATIONS}/prod`;
const { role, member } = migrationGrant().args as Record<string, string>;

const READING = `"use strict";
const { networksecurity, datamigration } = require("pulumi-perimeter");
const { FirewallEndpointAssociation } = networksecurity.v1beta1;
FirewallEndpointAssociation.get("link", "//networksecurity.googleapis.com/${LINK}");
datamigration.v1beta1.MigrationJobIamMember.get("grant", "${MIGRATION_JOB} ${role} ${member}");
`;

test("a read by another spelling keeps the association and the grant in the cloud", async () => {
  stack = await PackedStack.create({ program: declaring({ link: association(), grant: migrationGrant() }) });
  const { project } = stack;
  await project.up();
  const policy = stack.policy(MIGRATION_JOB);
  stack.heard();

  project.writeFiles({ "index.js": READING });
  const read = await project.up();
  for (const name of ["link", "grant"]) expect(read.step(name, "read-replacement").name).toBe(name);
  expect(stack.heardChanges()).toEqual([]);
  expect(stack.policy(MIGRATION_JOB)).toEqual(policy);
  const { resources = [] } = (await project.exportState()).deployment;
  expect(resources.filter(({ urn }) => /::(link|grant)$/.test(urn))).toHaveLength(2);
});
