import type { ReviewedResource } from "../../access/result/result";
import { answerWith, onlyStack, verdictOf, type OneStack } from "./answers";

/** Results of reviews written by hand, for tests of their forms and for their pictures. */

const RECORDS = "projects/demo-project/locations/us-central1/datasets/clinic/fhirStores/records";
const GATEWAY = "projects/demo-project/locations/us-central1/gateways/edge";
const TRIGGER = "projects/demo-project/locations/us-central1/triggers/orders";
const READER = "roles/healthcare.fhirResourceReader";
const EDITOR = "roles/healthcare.fhirResourceEditor";
const VIEWER = "roles/apigateway.viewer";

const urn = (type: string, name: string) => `urn:pulumi:prod::clinic::perimeter:${type}::${name}`;
const recordsStep = (name: string) => urn("healthcare/v1beta1:DatasetFhirStoreIamMember", name);
const gatewayStep = (name: string) => urn("apigateway/v1beta:GatewayIamMember", name);

const until = (year: number) => ({
  title: "until the migration is over",
  expression: `request.time < timestamp("${year}-01-01T00:00:00Z")`,
});
const importer = "serviceAccount:import@demo-project.iam.gserviceaccount.com";

export const resourceOf = (fields: Partial<ReviewedResource>): ReviewedResource => ({
  resource: RECORDS,
  kind: "a FHIR store",
  api: "healthcare",
  changes: [],
  unchanged: 0,
  noAccessLeft: [],
  unmanaged: [],
  before: [],
  after: [],
  unknown: [],
  ...fields,
});

/** An answer with these fields, and a summary that agrees with them. */
export const resultOf = (fields: Partial<OneStack>): OneStack =>
  onlyStack(answerWith({ project: "clinic", stack: "prod", ...fields }));

/** A delete, a replace, a condition, a secret, a refused step, what others gave, and rules that violation. */
export const busyResult: OneStack = resultOf({
  resources: [
    resourceOf({
      changes: [
        {
          change: "lost",
          principal: "user:ada@example.com",
          role: READER,
          steps: [recordsStep("ada-reads")],
          wasManaged: true,
        },
        {
          change: "lost",
          principal: "user:grace@example.com",
          role: READER,
          steps: [recordsStep("reader")],
          wasManaged: true,
        },
        { change: "gained", principal: "group:night-shift@example.com", role: READER, steps: [recordsStep("reader")] },
        {
          change: "condition",
          principal: importer,
          role: EDITOR,
          condition: until(2028),
          conditionBefore: until(2027),
          steps: [recordsStep("import")],
          wasManaged: true,
        },
      ],
      unchanged: 3,
      noAccessLeft: ["user:ada@example.com"],
      unmanaged: [
        { principal: "group:clinicians@example.com", role: READER },
        { principal: "group:platform@example.com", role: "roles/healthcare.fhirStoreAdmin" },
      ],
      before: [
        { role: READER, members: ["user:ada@example.com", "user:grace@example.com", "group:clinicians@example.com"] },
        { role: "roles/healthcare.fhirStoreViewer", members: ["user:grace@example.com"] },
        { role: "roles/healthcare.fhirStoreAdmin", members: ["group:platform@example.com"] },
        { role: EDITOR, members: [importer], condition: until(2027) },
      ],
      after: [
        { role: READER, members: ["group:clinicians@example.com", "group:night-shift@example.com"] },
        { role: "roles/healthcare.fhirStoreViewer", members: ["user:grace@example.com"] },
        { role: "roles/healthcare.fhirStoreAdmin", members: ["group:platform@example.com"] },
        { role: EDITOR, members: [importer], condition: until(2028) },
      ],
      unknown: [
        {
          code: "secret",
          message: "The member is secret in the plan, so who gains roles/healthcare.fhirStoreViewer is not shown.",
          step: recordsStep("partner"),
        },
      ],
    }),
    resourceOf({
      resource: GATEWAY,
      kind: "a gateway",
      api: "apigateway",
      changes: [
        { change: "lost", principal: "domain:example.org", role: VIEWER, steps: [], wasManaged: false },
        { change: "gained", principal: "allUsers", role: VIEWER, steps: [gatewayStep("open-to-all")] },
      ],
      unchanged: 1,
      noAccessLeft: ["domain:example.org"],
      before: [{ role: VIEWER, members: ["domain:example.org", "group:clinicians@example.com"] }],
      after: [{ role: VIEWER, members: ["allUsers", "group:clinicians@example.com"] }],
    }),
    resourceOf({
      resource: TRIGGER,
      kind: "a trigger",
      api: "eventarc",
      before: null,
      after: null,
      unknown: [
        {
          code: "unreadable policy",
          message: "The policy could not be read: 403, the caller lacks eventarc.triggers.getIamPolicy.",
        },
      ],
    }),
  ],
  refused: [
    {
      step: recordsStep("owners"),
      resource: RECORDS,
      reason: "This change would take roles/healthcare.fhirStoreAdmin from the caller itself, who could not undo it.",
    },
  ],
  notes: [
    "Access that is inherited from the project, a folder or the organization is not in these policies.",
    "Groups are not expanded: their members are not known here.",
  ],
  verdict: verdictOf({
    exitCode: 2,
    rules: ".perimeter-review.yaml",
    violations: [
      { rule: "loss", message: "user:ada@example.com loses its last role.", resource: RECORDS },
      { rule: "loss", message: "domain:example.org loses its last role.", resource: GATEWAY },
      {
        rule: "forbiddenRoles[0]",
        message: `allUsers (everyone on the internet) gains ${VIEWER} on ${GATEWAY}.`,
        reason: "Nothing of the clinic is public.",
        resource: GATEWAY,
        principal: "allUsers",
        role: VIEWER,
      },
      { rule: "refused", message: "A step is refused." },
      { rule: "unknown", message: "A member is secret." },
    ],
    allowed: [`user:grace@example.com loses ${READER} on ${RECORDS} (allowed: grace moved to the night shift).`],
  }),
});

/** Nothing changes, and all of it is known. */
export const quietResult: OneStack = resultOf({
  summary: { gained: 0, lost: 0, conditions: 0, unchanged: 12, noAccessLeft: 0, refused: 0, unknown: 0 },
  notes: busyResult.notes,
});

/** One resource of which many principals lose a role, and as many gain it. */
export function largeResult(changes: number): OneStack {
  const member = (kind: string, index: number) => `user:${kind}-${String(index).padStart(5, "0")}@example.com`;
  const half = [...Array(changes / 2).keys()];
  const gone = half.map((index) => member("gone", index));
  const come = half.map((index) => member("come", index));
  return resultOf({
    resources: [
      resourceOf({
        changes: [
          ...gone.map((principal) => ({
            change: "lost" as const,
            principal,
            role: READER,
            steps: [recordsStep(principal)],
          })),
          ...come.map((principal) => ({
            change: "gained" as const,
            principal,
            role: READER,
            steps: [recordsStep(principal)],
          })),
        ],
        noAccessLeft: gone,
        unmanaged: come.map((principal) => ({ principal, role: EDITOR })),
        before: [{ role: READER, members: gone }],
        after: [
          { role: READER, members: come },
          { role: EDITOR, members: come },
        ],
      }),
    ],
    verdict: verdictOf({
      exitCode: 2,
      violations: gone.map((principal) => ({ rule: "loss", message: `${principal} loses` })),
      allowed: [],
    }),
  });
}

/** Many resources, each with 20 grants that stay and some changes: losses on two of three, gains on every second. */
export function wideResult(count: number): OneStack {
  const teams = [...Array(20).keys()].map((index) => `group:team-${String(index).padStart(2, "0")}@example.com`);
  return resultOf({
    resources: [...Array(count).keys()].map((index) => {
      const id = String(index).padStart(3, "0");
      const gone = index % 3 === 0 ? [] : [`user:gone-${id}@example.com`];
      const come = index % 2 === 0 ? [`user:new-${id}@example.com`, `user:next-${id}@example.com`] : [];
      const viewer = "roles/healthcare.fhirStoreViewer";
      return resourceOf({
        resource: `${RECORDS}-${id}`,
        changes: [
          ...gone.map((principal) => ({
            change: "lost" as const,
            principal,
            role: READER,
            steps: [recordsStep(`old-${id}`)],
          })),
          ...come.map((principal) => ({
            change: "gained" as const,
            principal,
            role: viewer,
            steps: [recordsStep(`new-${id}`)],
          })),
        ],
        unchanged: teams.length,
        noAccessLeft: gone,
        before: [{ role: READER, members: [...teams, ...gone] }],
        after: [
          { role: READER, members: teams },
          { role: viewer, members: come },
        ],
      });
    }),
    verdict: verdictOf({ exitCode: 2, violations: [], allowed: [] }),
  });
}

/** The same text wherever a result holds one that somebody else wrote. */
export function hostileResult(text: string): OneStack {
  const condition = { title: text, description: text, expression: text };
  const grant = { principal: text, role: text, condition };
  const step = `urn:pulumi:s::p::t:m:T::${text}`;
  const uncertainty = { code: "secret" as const, message: text, step };
  return resultOf({
    project: text,
    stack: text,
    resources: [
      resourceOf({
        resource: text,
        kind: text,
        api: text,
        endpoint: text,
        changes: [
          { ...grant, change: "lost", steps: [text], wasManaged: false },
          { ...grant, change: "gained", steps: [step] },
          { ...grant, change: "condition", conditionBefore: { ...condition, title: `${text} before` }, steps: [] },
        ],
        noAccessLeft: [text, `${text} too`],
        unmanaged: [grant],
        before: [{ role: text, members: [text], condition }],
        after: [{ role: `${text} after`, members: [text], condition }],
        unknown: [uncertainty],
      }),
    ],
    refused: [{ step: text, resource: text, reason: text }],
    unknown: [uncertainty],
    sources: { [step]: { file: text, line: 3, component: text } },
    notes: [text],
    verdict: verdictOf({ exitCode: 2, violations: [{ rule: text, message: text, reason: text }], allowed: [text] }),
  });
}

/** Control sequences, marks that turn text, lines, HTML, Markdown, wide characters and a word without an end. */
export const HOSTILE_TEXT = `x\u001b[2J\u001b]0;title\u0007\u202eadmin\u2066\r\n# H </style></details>--><img src=x onerror=a()>|\`\`@ops #1 [a](https://e.x) \\| www.e.x 漢字 ${"w".repeat(200)}`;
