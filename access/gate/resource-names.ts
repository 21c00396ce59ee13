import { isProjectNumber } from "../../provider/core/reference";
import { fullNameIn, policyResource, resourcesNamed } from "../../provider/iam/kinds/kinds";
import type { ReviewedResource } from "../result/result";
import { UNNAMED } from "../result/texts";
import type { TextPart } from "../result/glob";

/** The names of one resource, each of which a rule may have. */
export interface ResourceNames {
  /**
   * The relative name, and the full name (`//pubsub.googleapis.com/projects/…`), each with the project's id and with its number as
   * far as both were read; of a bucket and what is in it, also those of its API (`b/…`).
   */
  names: readonly string[];
  possible: readonly PossibleName[];
}

/**
 * A name that the resource may have: with the other form of the project, where the review did not read it, or in an API, where only
 * the inputs of another provider's step name the resource.
 */
export interface PossibleName {
  parts: readonly TextPart[];
  /** Why it is unknown, as a clause. */
  why: string;
}

type Named = Pick<ReviewedResource, "api" | "resource" | "project" | "otherProvider">;

const HOST = /^\/\/[^/]+\//;
/** The names of an object, and of everything else in a bucket: https://cloud.google.com/iam/docs/full-resource-names */
const IN_BUCKET = /^(?:projects\/_\/buckets|b)\/([^/]+)(?:\/(?:objects|o)\/(.+)|(\/.*))?$/s;
const SERVICE_ACCOUNT = /^projects\/[^/]+(?=\/serviceAccounts\/)/;
const PROJECT = /^projects\/([^/]+)/;
/** For a service account, it stands for the project that the address names. */
const ANY_PROJECT = "-";
/** The project in the full name of a bucket. */
const NO_PROJECT = "_";

/** A project's id begins with a letter: `example-prod`, `example.com:prod`. */
const PROJECT_ID: readonly TextPart[] = [/[a-z]/, /[a-z0-9.:-]/];
const PROJECT_NUMBER: readonly TextPart[] = [/\d/];

const NOT_NAMED = "the inputs of the step do not name its resource, which may be that of the rule";

export function namesOf({ api, resource, project: known, otherProvider }: Named): ResourceNames {
  if (resource === UNNAMED) return { names: [resource], possible: [{ parts: [/./s], why: NOT_NAMED }] };
  const relative = resource.replace(HOST, "");
  const here = [relative, ...inBucket(relative)];
  const spelled = known ? here.flatMap((name) => [known.id, known.number].map((each) => inProject(name, each))) : [];
  const others = [...here, ...spelled].flatMap((name) =>
    SERVICE_ACCOUNT.test(name) ? [inProject(name, ANY_PROJECT)] : [],
  );
  const all = [...here, ...spelled, ...others];
  // The module of another provider's type need not be an API.
  const meant = otherProvider === undefined ? [] : all.flatMap(resourcesNamed).map(({ fullName }) => fullName);
  const isClear = meant.length === all.length;
  const full = all.flatMap((name) => fullNames(api, name));
  const names = [...new Set([resource, ...all, ...full, ...(isClear ? meant : [])])];
  const guessed = isClear
    ? []
    : meant.map((name): PossibleName => ({ parts: [name], why: `${resource} is of an unknown API` }));
  const project = known ? undefined : PROJECT.exec(relative)?.[1];
  if (project === undefined || project === NO_PROJECT) return { names, possible: guessed };
  const forms =
    project === ANY_PROJECT ? [PROJECT_ID, PROJECT_NUMBER] : [isProjectNumber(project) ? PROJECT_ID : PROJECT_NUMBER];
  const why = whyOfProject(project);
  const possible = [
    ...names,
    ...guessed.flatMap(({ parts }) => parts.filter((part) => typeof part === "string")),
  ].flatMap((name) => {
    const at = name.indexOf(`projects/${project}`);
    const [before, after] = [name.slice(0, at + "projects/".length), name.slice(at + `projects/${project}`.length)];
    return at < 0 ? [] : forms.map((form): PossibleName => ({ parts: [before, ...form, after], why }));
  });
  return { names, possible: [...guessed, ...possible] };
}

function whyOfProject(project: string): string {
  if (project === ANY_PROJECT) return `projects/${project} does not name the project, and the rule may have its name`;
  const [form, other] = isProjectNumber(project) ? ["number", "id"] : ["id", "number"];
  return `projects/${project} has the ${form} of the project, and the rule may have its ${other}`;
}

function inBucket(name: string): string[] {
  const [, bucket, object, rest = ""] = IN_BUCKET.exec(name) ?? [];
  if (bucket === undefined) return [];
  if (object === undefined) return [`b/${bucket}${rest}`, `projects/_/buckets/${bucket}${rest}`];
  // In the path of a request, a slash in the name of an object does not separate segments.
  const plain = object.replaceAll(/%2F/gi, "/");
  return [`b/${bucket}/o/${plain.replaceAll("/", "%2F")}`, `projects/_/buckets/${bucket}/objects/${plain}`];
}

function inProject(name: string, project: string): string {
  return name.replace(PROJECT, `projects/${project}`);
}

function fullNames(api: string, name: string): string[] {
  const full = fullNameIn(api, name);
  const found = policyResource(full);
  return typeof found === "string" ? [full] : [full, found.fullName];
}
