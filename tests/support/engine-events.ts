/** What the engine says that it did: the event log of a command, as steps and messages. */
import * as fs from "node:fs";
import { EngineError, type RunResult } from "./engine-run";
import type { StepState } from "./state";

export interface PropertyDiff {
  diffKind: "add" | "add-replace" | "delete" | "delete-replace" | "update" | "update-replace";
  inputDiff: boolean;
}

/** One step of the engine's plan or of an update, in the order the engine began them. */
export interface Step {
  op: string;
  urn: string;
  type: string;
  /** The last part of the URN: what the program called it. */
  name: string;
  /** Properties that force a replacement. */
  keys: string[];
  /** Properties that differ. */
  diffs: string[];
  detailedDiff: Record<string, PropertyDiff>;
  old?: StepState;
  new?: StepState;
}

export interface Diagnostic {
  severity: string;
  message: string;
  urn?: string;
  ephemeral?: boolean;
}

/** A line of the engine's event log, as written by the CLI. */
export type EngineEvent = { sequence: number; timestamp: number } & Record<string, unknown>;

export interface OperationResult extends RunResult {
  events: EngineEvent[];
  steps: Step[];
  /** How many resources by operation, without those that stay the same. */
  changes: Record<string, number>;
  diagnostics: Diagnostic[];
  /** The first step of a resource by its name; fails if there is none. */
  step(name: string, op?: string): Step;
  /** Messages of this severity, of one resource or of all. */
  messages(severity: "error" | "warning" | "info", name?: string): string[];
}

/** The lines of an event log. An interrupted engine may leave half a line at the end; one that failed early, no file. */
function readEvents(file: string): EngineEvent[] {
  if (!fs.existsSync(file)) return [];
  const events: EngineEvent[] = [];
  for (const line of fs.readFileSync(file, "utf8").split("\n")) {
    try {
      if (line) events.push(JSON.parse(line) as EngineEvent);
    } catch {
      break;
    }
  }
  return events;
}

interface StepMetadata {
  op: string;
  urn: string;
  type: string;
  keys?: string[] | null;
  diffs?: string[] | null;
  detailedDiff?: Record<string, PropertyDiff> | null;
  old?: StepState | null;
  new?: StepState | null;
}

/** The result of a command with what its event log says. */
export function withEvents(result: RunResult, log: string): OperationResult {
  const events = readEvents(log);
  const steps: Step[] = [];
  const diagnostics: Diagnostic[] = [];
  let changes: Record<string, number> = {};
  for (const event of events) {
    const pre = event.resourcePreEvent as { metadata: StepMetadata } | undefined;
    if (pre) steps.push(toStep(pre.metadata));
    const diagnostic = event.diagnosticEvent as Diagnostic | undefined;
    if (diagnostic) diagnostics.push({ ...diagnostic, message: withoutColors(diagnostic.message) });
    const summary = event.summaryEvent as { resourceChanges?: Record<string, number> } | undefined;
    if (summary) {
      changes = Object.fromEntries(Object.entries(summary.resourceChanges ?? {}).filter(([op]) => op !== "same"));
    }
  }
  return {
    ...result,
    events,
    steps,
    changes,
    diagnostics,
    step(name, op) {
      const step = steps.find((each) => each.name === name && (op === undefined || each.op === op));
      if (!step) {
        const seen = steps.map((each) => `${each.op} ${each.name}`).join(", ") || "none";
        throw new EngineError(result, `no step ${op ?? ""} of ${name}; steps: ${seen}`);
      }
      return step;
    },
    messages: (severity, name) =>
      diagnostics
        .filter((each) => each.severity === severity && (name === undefined || nameOf(each.urn ?? "") === name))
        .map((each) => each.message.trim()),
  };
}

function toStep(metadata: StepMetadata): Step {
  return {
    op: metadata.op,
    urn: metadata.urn,
    type: metadata.type,
    name: nameOf(metadata.urn),
    keys: metadata.keys ?? [],
    diffs: metadata.diffs ?? [],
    detailedDiff: metadata.detailedDiff ?? {},
    old: metadata.old ?? undefined,
    new: metadata.new ?? undefined,
  };
}

function nameOf(urn: string): string {
  return urn.slice(urn.lastIndexOf("::") + 2);
}

/** The event log has the engine's own color marks in its messages. */
function withoutColors(message: string): string {
  return message.replace(/<\{%[^%]*%\}>/g, "");
}
