/** A stack with a resource of each type and with all that a state keeps, through each front: to record it, and to go on from a record. */
import * as fs from "node:fs";
import * as path from "node:path";
import { version } from "../../../package.json";
import { demoSeed, type Emulator } from "../../../emulator";
import { nodeSdk, pluginFolder } from "../../support/plugin";
import {
  association,
  FHIR_STORE,
  fhirGrant,
  GATEWAY,
  MIGRATION_JOB,
  migrationGrant,
  SECRET,
  TOPIC,
  TRIGGER,
  type Declared,
} from "../../support/programs";
import type { StackState } from "../../support/state";
import { PackedStack } from "../dynamic/packed-stack";

const FOLDER = path.join(__dirname, "recorded");

/** What a version of the provider wrote for a stack. */
export interface Recording {
  front: Front;
  grantMode: GrantMode;
  program: Record<string, Declared>;
  state: StackState;
  cloud: Readonly<ReturnType<Emulator["export"]>>;
}

type GrantMode = "merge" | "replace";

export const FRONTS = {
  dynamic: () => ({}),
  plugin: () => ({ packages: { "pulumi-perimeter": nodeSdk() }, path: [pluginFolder()] }),
};

export type Front = keyof typeof FRONTS;

const CONDITION = { title: "office hours", expression: "request.time.getHours() < 19" };

/** The resources of a new recording. Those of a recording stay as they were. */
const MERGED: Record<string, Declared> = {
  link: association({ labels: { team: "network" }, requestId: "3f2c5a3e-8f5d-4c59-9b1b-0d3c3b6d2f11" }),
  unnamed: association({
    firewallEndpointAssociationId: undefined,
    network: "projects/demo-project/global/networks/edge",
  }),
  migration: migrationGrant(),
  migrations: binding("datamigration.v1beta1.MigrationJobIamBinding", MIGRATION_JOB, "roles/datamigration.viewer"),
  store: fhirGrant({ condition: CONDITION }),
  stores: binding("healthcare.v1beta1.DatasetFhirStoreIamBinding", FHIR_STORE, "roles/healthcare.fhirStoreAdmin"),
  gateway: member("apigateway.v1beta.GatewayIamMember", GATEWAY, "roles/apigateway.admin"),
  gateways: binding("apigateway.v1beta.GatewayIamBinding", GATEWAY, "roles/apigateway.viewer"),
  trigger: member("eventing.v1.TriggerIamMember", TRIGGER, "roles/eventarc.viewer"),
  triggers: binding("eventing.v1.TriggerIamBinding", TRIGGER, "roles/eventarc.admin"),
  topic: member("iam.v1.ResourceIamMember", `//pubsub.googleapis.com/${TOPIC}`, "roles/pubsub.publisher"),
  secrets: binding(
    "iam.v1.ResourceIamBinding",
    `//secretmanager.googleapis.com/${SECRET}`,
    "roles/secretmanager.viewer",
  ),
  bucket: member(
    "iam.v1.ResourceIamMember",
    "//storage.googleapis.com/projects/_/buckets/demo-project-archive",
    "roles/storage.objectViewer",
  ),
};

/** All recordings, with their versions. */
export function recordings(): Array<Recording & { version: string }> {
  return fs.readdirSync(FOLDER).flatMap((file) => {
    const all = JSON.parse(fs.readFileSync(path.join(FOLDER, file), "utf8")) as Recording[];
    return all.map((each) => ({ ...each, version: path.basename(file, ".json") }));
  });
}

/** Writes the recordings of this version. @returns their file */
export async function record(): Promise<string> {
  const all: Recording[] = [];
  for (const front of ["dynamic", "plugin"] as const) {
    for (const grantMode of ["merge", "replace"] as const) all.push(await recorded(front, grantMode));
  }
  const file = path.join(FOLDER, `${version}.json`);
  fs.writeFileSync(file, `${JSON.stringify(all, null, 2)}\n`);
  return file;
}

async function recorded(front: Front, grantMode: GrantMode): Promise<Recording> {
  const program = PROGRAMS[grantMode];
  const world = await startPackedStack({ front, grantMode, program, cloud: demoSeed });
  try {
    await world.project.up();
    const state = await world.project.exportState();
    delete state.deployment.manifest;
    for (const each of state.deployment.resources ?? []) {
      // Places of the program on this machine.
      delete each.sourcePosition;
      delete each.stackTrace;
    }
    return { front, grantMode, program, state, cloud: world.emulator.export() };
  } finally {
    await world.dispose();
  }
}

export const PROGRAMS: Record<GrantMode, Record<string, Declared>> = {
  merge: MERGED,
  replace: { store: fhirGrant(), unnamed: MERGED.unnamed ?? association() },
};

function member(type: string, name: string, role: string): Declared {
  return { type, args: { ...named(type, name), role, member: "group:readers@example.com" } };
}

function binding(type: string, name: string, role: string): Declared {
  const members = ["group:readers@example.com", "user:Ada@example.com"];
  return { type, args: { ...named(type, name), role, members, condition: CONDITION } };
}

function named(type: string, name: string): Record<string, string> {
  return type.startsWith("iam.") ? { resource: name } : { name };
}

export function startPackedStack({ front, grantMode, program, cloud }: Omit<Recording, "state">): Promise<PackedStack> {
  const config = { "perimeter:grantMode": grantMode };
  return PackedStack.create({ resources: program, emulator: { seed: [...cloud] }, config, ...FRONTS[front]() });
}
