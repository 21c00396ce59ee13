import { existsSync, realpathSync } from "node:fs";
import * as path from "node:path";
import { projectAbove, repositoryAbove } from "../../provider/runtime/pulumi-project";
import { itemsOf } from "../result/items";
import type { Found, Sources } from "../result/result";
import { typeIn } from "../result/urn";
import type { Plan } from "./plan";
import { STACK_TYPE, type PlannedState } from "./planned-state";
import { waitsForDelete } from "./removals";
import type { SourceLine } from "./source-line";
import { linesInYaml } from "./yaml-lines";

/**
 * The lines of the program that declare the resources of steps.
 *
 * @param found its steps get lines.
 * @param state the resources of the stack's state. Lines of deleted resources come from there.
 * @param folder of the plan's project, or below it. If another project or none is there, no line is known.
 */
export async function sourcesOf(
  found: Pick<Found, "resources" | "refused" | "unknown">,
  plan: Plan,
  state: readonly PlannedState[],
  folder: string,
): Promise<Pick<Found, "sources">> {
  // A link to the folder of a project may be outside of the repository.
  const project = await projectAbove(existsSync(folder) ? realpathSync(folder) : path.resolve(folder));
  if (project?.name === undefined || project.name !== plan.project) return {};
  const urns = [...new Set(itemsOf(found).flatMap(({ steps }) => steps))].sort();
  const lines = new ProgramLines(plan, state, await linesInYaml(project));
  const { folder: place } = project;
  const below = path
    .relative(repositoryAbove(place) ?? place, place)
    .split(path.sep)
    .join("/");
  const sources = urns.flatMap((urn): [string, Sources[string]][] => {
    const source = lines.of(urn);
    if (!source) return [];
    const file = path.posix.join(below, source.file);
    // The folder of a program in YAML may be outside of the repository.
    return file.startsWith("../") ? [] : [[urn, { ...source, file }]];
  });
  return sources.length > 0 ? { sources: Object.fromEntries(sources) } : {};
}

/** The lines of one plan's resources, with files relative to the project's folder. */
class ProgramLines {
  /** By URN; so are the others. The resources that the plan leaves. */
  private readonly planned = new Map<string, PlannedState>();
  private readonly deleted = new Map<string, PlannedState>();
  private readonly before = new Map<string, PlannedState>();

  constructor(
    plan: Plan,
    state: readonly PlannedState[],
    private readonly inYaml: (urn: string) => SourceLine | undefined,
  ) {
    for (const each of state) (waitsForDelete(each) ? this.deleted : this.before).set(each.urn, each);
    for (const { urn, old, new: wanted } of plan.steps) {
      if (old) this.before.set(urn, old);
      if (wanted) this.planned.set(urn, wanted);
      else if (old) this.deleted.set(urn, old);
    }
  }

  /** Undefined for an unchanged resource that the plan does not show: the program may have it at another line by now. */
  of(urn: string): Sources[string] | undefined {
    const planned = this.planned.get(urn);
    const resource = planned ?? this.deleted.get(urn);
    if (!resource) return undefined;
    const component = this.componentAround(resource);
    const ofComponent = component && (planned ? this.planned : this.before).get(component.urn);
    const line = (ofComponent && this.lineOf(ofComponent)) ?? this.lineOf(resource);
    if (!line) return undefined;
    return {
      ...line,
      ...(component ? { component: typeIn(component.urn).replace(/^.*[:/]/s, "") } : {}),
      ...(planned ? {} : { gone: true }),
    };
  }

  private lineOf(resource: PlannedState): SourceLine | undefined {
    return resource.line ?? this.inYaml(resource.urn);
  }

  /** The outermost component around a resource: the program makes the component, and the component makes the resource. */
  private componentAround({ parent = "" }: PlannedState): PlannedState | undefined {
    const around = this.planned.get(parent) ?? this.before.get(parent);
    if (!around || around.type === STACK_TYPE) return undefined;
    return this.componentAround(around) ?? (around.isComponent ? around : undefined);
  }
}
