import { nameInId, withProject } from "../../provider/core/reference";
import { fullNameIn } from "../../provider/iam/kinds/kinds";
import { bindingKey, grantKey, type Grant } from "../../provider/iam/policy";
import { anyCloudKey } from "../live/access-policy";
import { apiOfType } from "../meaning/api-names";
import { ANY_MEMBER, resourceOfGrant } from "../meaning/grant-kinds";
import { grantFormOf } from "../meaning/meaning";
import { digestOf } from "../plan/deciding-inputs";
import { placeOfForeign, type ForeignStep, type StatedStep } from "../plan/foreign-steps";
import { keyOfEntry, listOfEntry } from "../plan/repeated-entries";
import { statedGrants } from "../plan/stated-grants";
import { policyGrant } from "../result/grants";
import type { AccessChanged, ReviewedGrant } from "../result/result";
import type { DeletedResources } from "./deleted-resources";
import type { Declaration, Taking } from "./claims";

/**
 * What steps that no rehearsal carries out declare in access policies and access lists, and what they take from there, as far as their
 * inputs say. Nothing says in which cloud.
 */

type Keys = Pick<Declaration, "policy" | "anyProject" | "anyCloud" | "name">;

/** The policy or the list of a step, and the key of a grant in it. Undefined for what is in neither, such as a member of a group. */
function placeOfStated(of: Omit<StatedStep, "grants" | "isWritten">) {
  const { kind, resource } = of;
  if (!kind.isRemoval && (kind.isEntry || kind.isList)) {
    return { keys: listKeys(listOfEntry(of), resource), keyOf: (grant: ReviewedGrant) => keyOfEntry(of, grant) };
  }
  // What a removal takes are grants on its project.
  const fullName = kind.isRemoval ? fullNameIn("cloudresourcemanager", resource) : of.fullName;
  const found = fullName === undefined ? undefined : resourceOfGrant(ANY_MEMBER, fullName);
  if (!found) return undefined;
  const key = anyCloudKey(found.kind.service.api, found.path);
  const keys: Keys = { policy: key, anyProject: key, anyCloud: key, name: found.path };
  return { keys, keyOf: (grant: ReviewedGrant) => grantKey(policyGrant(grant)) };
}

/** What resources of other providers declare, in the form of grants in a policy. */
export function declaredByStated(steps: readonly StatedStep[]): Declaration[] {
  return steps.flatMap((each) => {
    const place = placeOfStated(each);
    if (!place) return [];
    const { step, kind, resource, grants, isWritten } = each;
    const isGrant = !kind.isEntry && !kind.isList;
    return [
      {
        ...place.keys,
        urn: step.urn,
        resource,
        owns: isGrant ? (OWNS[grantFormOf(step.type) ?? ""] ?? "nothing") : "nothing",
        isOther: true,
        roles: new Map(isGrant ? grants.map((grant) => [bindingKey(policyGrant(grant)), grant.role]) : []),
        grants: new Set(grants.map(place.keyOf)),
        isWritten,
      },
    ];
  });
}

const OWNS: Readonly<Record<string, Declaration["owns"]>> = { binding: "role", policy: "policy" };

/** Those that remove grants or entries, and those that set a role, a policy or a list as a whole. */
export function takenByStated(foreign: readonly ForeignStep[]): Taking[] {
  return foreign.flatMap((each): Taking[] => {
    const { step, kind, changes, grant } = each;
    const place = grant ? undefined : placeOfStated(each);
    if (!place) return [];
    const owns = kind.isList ? "policy" : kind.isEntry ? "nothing" : (OWNS[grantFormOf(step.type) ?? ""] ?? "nothing");
    const gone = changes.filter(({ change, hidden }) => change === "lost" && hidden === undefined);
    // The list of a new resource is a new one, where nobody declares anything yet. That of an old resource can be new in the program.
    const isNew = step.op === "create" && kind.isList && kind.inputs !== undefined;
    if (owns === "nothing" ? gone.length === 0 : isNew) return [];
    const after = step.new && step.op !== "delete" ? statedGrants(step.new) : [];
    return [
      {
        ...place.keys,
        urn: step.urn,
        place: placeOfForeign(each),
        lost: new Map(gone.map((change) => [place.keyOf(change), grantOf(change)])),
        removes: new Set(gone.map(place.keyOf)),
        roles: new Set(owns === "role" ? [...gone, ...after].map((one) => bindingKey(policyGrant(one))) : []),
        isWhole: owns === "policy",
        ...(owns !== "nothing" && { keeps: new Set(after.map(place.keyOf)) }),
        digest: digestOf(step),
      },
    ];
  });
}

/** The deletes of resources with access lists, which go with them, and of what contains other resources. */
export function takenWithResources(deleted: DeletedResources): Taking[] {
  const nothing = {
    lost: new Map<string, Grant>(),
    removes: new Set<string>(),
    roles: new Set<string>(),
    isWhole: true,
  };
  const lists = deleted.withLists.flatMap(({ urn, provider: { type }, names }) =>
    names.flatMap((name) =>
      ["bucket", "defaultobject", "dataset"].map((list): Taking => {
        const resource = name.replace(/^\/\/storage\.[^/]+\/projects\/_\/buckets\//, "b/");
        const place = { resource, kind: `a ${list.replace("defaultobject", "bucket")}`, api: apiOfType(type) };
        const { policy: _, ...keys } = listKeys(list, resource);
        return { ...keys, ...nothing, urn, place, keeps: new Set() };
      }),
    ),
  );
  const containers = deleted.named.map(({ urn, type, name }): Taking => {
    const path = resourceOfGrant(ANY_MEMBER, name)?.path ?? nameInId(name);
    const place = { resource: path, kind: "a resource", api: apiOfType(type) };
    return { ...nothing, urn, anyProject: path, anyCloud: path, name: path, place, isContainer: true };
  });
  return [...lists, ...containers];
}

function listKeys(list: string, name: string): Keys {
  const key = (of: string) => JSON.stringify(["list", list, of]);
  const anyProject = key(withProject(name, ""));
  return { policy: key(name), anyProject, anyCloud: anyProject, name };
}

function grantOf(change: AccessChanged): Grant {
  return policyGrant(change);
}
