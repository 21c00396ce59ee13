import { nameInId, withProject } from "../../provider/core/reference";
import { fullNameIn } from "../../provider/iam/kinds/kinds";
import { bindingKey, grantKey, type Grant } from "../../provider/iam/policy";
import { anyCloudKey } from "../live/access-policy";
import { apiOfType } from "../meaning/api-names";
import { ANY_MEMBER, resourceOfGrant } from "../meaning/grant-kinds";
import { grantFormOf } from "../meaning/meaning";
import { digestOf, mayTurn } from "../plan/deciding-inputs";
import { placeOfForeign, type ForeignStep, type StatedStep } from "../plan/foreign-steps";
import { keyOfEntry, listOfEntry } from "../plan/repeated-entries";
import { statedGrants } from "../plan/stated-grants";
import { datasetRolesOf } from "../result/dataset-roles";
import { policyGrant } from "../result/grants";
import type { ReviewedGrant } from "../result/result";
import { capitalized } from "../result/visible";
import type { DeletedResources } from "./deleted-resources";
import type { Declaration, Taking } from "./claims";

/**
 * What steps that no rehearsal carries out declare in access policies and access lists, and what they take from there, as far as their
 * inputs say. Nothing says in which cloud.
 */

type Keys = Pick<Declaration, "policy" | "anyProject" | "anyCloud" | "name" | "list">;

/** A policy or a list, or a list as a part of a policy. */
interface StatedPlace {
  keys: Keys;
  keyOf: (grant: ReviewedGrant) => string;
  /** What it is as a grant in a policy. Absent for a list that no policy shows. */
  asGrant?: (grant: ReviewedGrant) => Grant;
  /** The roles of the policy that a list sets as a whole. Absent where it sets all. */
  roles?: readonly string[];
}

/** The roles of the list of a bucket in its policy: https://cloud.google.com/storage/docs/access-control/iam#acls */
function legacyRoleOf(role: string): string {
  return `roles/storage.legacyBucket${capitalized(role.toLowerCase())}`;
}
const LEGACY_ROLES = ["OWNER", "WRITER", "READER"].map(legacyRoleOf);

/** The policy or the list of a step. Empty for what is in neither, such as a member of a group. */
function placesOf(of: Omit<StatedStep, "grants" | "isWritten">): StatedPlace[] {
  const { kind, resource } = of;
  const name = listOfEntry(of);
  // A dataset has no policy beside its list.
  if (kind.isRemoval || !(kind.isEntry || kind.isList || name === "dataset")) {
    // What a removal takes are grants on its project.
    const keys = policyKeys(kind.isRemoval ? fullNameIn("cloudresourcemanager", resource) : of.fullName);
    return keys ? [{ keys, keyOf: (grant) => grantKey(policyGrant(grant)), asGrant: policyGrant }] : [];
  }
  const list: StatedPlace = { keys: listKeys(name, resource), keyOf: (grant) => keyOfEntry(name, grant) };
  if (name === "dataset")
    return [{ ...list, asGrant: (grant) => asGrantWith(grant, datasetRolesOf(grant.role).at(-1)) }];
  const keys = name === "bucket" ? policyKeys(fullNameIn("storage", resource)) : undefined;
  if (!keys) return [list];
  const asGrant = (grant: ReviewedGrant) => asGrantWith(grant, legacyRoleOf(grant.role));
  const keyOf = (grant: ReviewedGrant) => grantKey(asGrant(grant));
  return [list, { keys: { ...keys, list: "in policy" }, keyOf, asGrant, roles: LEGACY_ROLES }];
}

function asGrantWith(grant: ReviewedGrant, role = grant.role): Grant {
  return policyGrant({ ...grant, role });
}

/** What resources of other providers declare, in the form of grants in a policy. */
export function declaredByStated(steps: readonly StatedStep[]): Declaration[] {
  return steps.flatMap((each) => {
    const { step, kind, resource, grants, isWritten } = each;
    const isGrant = !kind.isEntry && !kind.isList;
    return placesOf(each).map(({ keys, keyOf, asGrant }) => ({
      ...keys,
      urn: step.urn,
      resource,
      owns: isGrant ? ownedByGrant(step.type) : "nothing",
      isOther: true,
      roles: new Map(asGrant ? grants.map(asGrant).map((grant) => [bindingKey(grant), grant.role]) : []),
      grants: new Set(grants.map(keyOf)),
      isWritten,
    }));
  });
}

function ownedByGrant(type: string): Declaration["owns"] {
  const form = grantFormOf(type);
  return form === "binding" ? "role" : form === "policy" ? "policy" : "nothing";
}

/** Those that remove grants or entries, and those that set a role, a policy or a list as a whole. */
export function takenByStated(foreign: readonly ForeignStep[]): Taking[] {
  return foreign.flatMap((each): Taking[] => {
    const { step, kind, changes } = each;
    if (step.grant) return [];
    const owns = kind.isList ? "policy" : kind.isEntry ? "nothing" : ownedByGrant(step.type);
    const gone = changes.filter(({ change, hidden }) => change === "lost" && hidden === undefined);
    const ended = takenBySetting(each);
    // The list of a new resource is a new one, where nobody declares anything yet. That of an old resource can be new in the program.
    const isNew = step.op === "create" && kind.isList && kind.inputs !== undefined;
    if (owns === "nothing" ? gone.length === 0 : isNew) return ended;
    const after = step.new && step.op !== "delete" ? statedGrants(step.new) : [];
    const taken = placesOf(each).map(({ keys, keyOf, asGrant = policyGrant, roles }): Taking => {
      const owned = roles?.map((role) => ({ role, member: "" })) ?? [...gone, ...after].map(asGrant);
      return {
        ...keys,
        urn: step.urn,
        place: placeOfForeign(each),
        // A policy has another name for the role than a list.
        lost: new Map(
          gone.map((change) => [keyOf(change), (keys.list === "in policy" ? asGrant : policyGrant)(change)]),
        ),
        removes: new Set(gone.map(keyOf)),
        roles: new Set(owns === "role" || (roles && kind.isList) ? owned.map(bindingKey) : []),
        isWhole: owns === "policy" && roles === undefined,
        ...(owns !== "nothing" && { keeps: new Set(after.map(keyOf)) }),
        digest: digestOf(step),
      };
    });
    return [...taken, ...ended];
  });
}

/** What a setting of a bucket takes from others: all lists in it, or what everyone has in its lists and its policy. */
function takenBySetting(of: ForeignStep): Taking[] {
  const { step, resource } = of;
  const ends = step.meaning.kinds.flatMap(({ ends = [] }) => ends);
  const ended = new Set(ends.filter(({ path, value }) => mayTurn(step, path, value)).map((each) => each.of));
  return [...ended].flatMap((what) => {
    const common = {
      ...NOTHING,
      urn: step.urn,
      place: placeOfForeign(of),
      keeps: { has: (key: string) => what === "everyone" && !/"all(Authenticated)?Users"/.test(key) },
      digest: digestOf(step),
    };
    const lists = [
      ...ON_BUCKETS.map((list) => listKeys(list, resource)),
      { ...listKeys("object", resource), isContainer: true },
    ];
    const policy = policyKeys(fullNameIn("storage", resource));
    const all =
      what === "everyone" && policy
        ? [...lists, { ...policy, list: "in policy" as const }, { ...policy, isContainer: true }]
        : lists;
    return all.map(({ policy: _, ...keys }): Taking => ({ ...keys, ...common }));
  });
}

const ON_BUCKETS = ["bucket", "defaultobject"];
const NOTHING = { lost: new Map<string, Grant>(), removes: new Set<string>(), roles: new Set<string>(), isWhole: true };

/** The deletes of resources with access lists, which go with them, and of what contains other resources. */
export function takenWithResources(deleted: DeletedResources): Taking[] {
  const lists = deleted.withLists.flatMap(({ urn, provider: { type }, names }) =>
    names.flatMap((name) =>
      [...ON_BUCKETS, "dataset"].map((list): Taking => {
        const resource = name.replace(/^\/\/storage\.[^/]+\/projects\/_\/buckets\//, "b/");
        const place = { resource, kind: `a ${list.replace("defaultobject", "bucket")}`, api: apiOfType(type) };
        const { policy: _, ...keys } = listKeys(list, resource);
        return { ...keys, ...NOTHING, urn, place, keeps: new Set() };
      }),
    ),
  );
  const containers = deleted.named.map(({ urn, type, name }): Taking => {
    const path = resourceOfGrant(ANY_MEMBER, name)?.path ?? nameInId(name);
    const place = { resource: path, kind: "a resource", api: apiOfType(type) };
    return { ...NOTHING, urn, anyProject: path, anyCloud: path, name: path, place, isContainer: true };
  });
  return [...lists, ...containers];
}

function listKeys(list: string, name: string): Keys {
  const key = (of: string) => JSON.stringify(["list", list, of]);
  const anyProject = key(withProject(name, ""));
  return { policy: key(name), anyProject, anyCloud: anyProject, name, list: "itself" };
}

function policyKeys(fullName: string | undefined): Keys | undefined {
  const found = fullName === undefined ? undefined : resourceOfGrant(ANY_MEMBER, fullName);
  if (!found) return undefined;
  const key = anyCloudKey(found.kind.service.api, found.path);
  return { policy: key, anyProject: key, anyCloud: key, name: found.path };
}
