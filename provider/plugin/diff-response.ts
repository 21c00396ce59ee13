import { DiffResponse, PropertyDiff } from "@pulumi/pulumi/proto/provider_pb";
import { changedProperties, type Diff, type PropertyChange } from "../core/diff";
import { formatPath } from "../core/problem";

/**
 * A diff in the engine's form.
 *
 * @param inputs names of the resource's inputs.
 */
export function diffResponse(diff: Diff, inputs: readonly string[]): DiffResponse {
  const response = new DiffResponse().setHasdetaileddiff(true);
  if (diff.action === "none") return response.setChanges(DiffResponse.DiffChanges.DIFF_NONE);
  response.setChanges(DiffResponse.DiffChanges.DIFF_SOME).setDiffsList(changedProperties(diff.changes));
  for (const change of diff.changes) {
    response.getDetaileddiffMap().set(formatPath(change.path), propertyDiff(change, inputs));
  }
  if (diff.action === "replace") {
    response.setReplacesList(changedProperties(diff.changes.filter((each) => each.replaces)));
  }
  return response;
}

const KINDS = {
  add: [PropertyDiff.Kind.ADD, PropertyDiff.Kind.ADD_REPLACE],
  update: [PropertyDiff.Kind.UPDATE, PropertyDiff.Kind.UPDATE_REPLACE],
  delete: [PropertyDiff.Kind.DELETE, PropertyDiff.Kind.DELETE_REPLACE],
} as const;

function propertyDiff({ path, kind, replaces }: PropertyChange, inputs: readonly string[]): PropertyDiff {
  // For an input, the engine then shows the program's old and new values. Without it, the engine would show an update as a
  // deletion.
  const isInput = inputs.includes(String(path[0]));
  return new PropertyDiff().setInputdiff(isInput).setKind(KINDS[kind][replaces ? 1 : 0]);
}
