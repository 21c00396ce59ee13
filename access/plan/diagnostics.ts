import { stripVTControlCharacters } from "node:util";
import * as z from "zod";
import { announcedLoss, isAccessChange, type AnnouncedLoss } from "../../provider/iam/preview-access-change";
import { statedSettings, type StatedSettings } from "../../provider/services/shared/stated-settings";
import { typeIn } from "../result/urn";
import { STACK_TYPE } from "./planned-state";

/** What a preview says beside its steps: errors, and what this provider said about its grants. */
export interface Said {
  /** The messages of a failed preview, which has only some of the update's steps. */
  errors: string[];
  /** The provider's own warnings about lost access at preview, with the URN of the resource. */
  announced: (AnnouncedLoss & { urn: string })[];
  /** The previewed grants by URN, with the settings that the provider stated because the plan does not show them. */
  previewed: { urn: string; settings?: StatedSettings }[];
}

/** The relevant part of `PreviewDiagnostic` of sdk/go/common/display/json.go. */
interface Diagnostic {
  urn?: string | undefined;
  message?: string | undefined;
  severity?: string | undefined;
}

/** @internal because public types must not use zod's */
export const diagnosticShape = z.looseObject({
  urn: z.string().optional(),
  message: z.string().optional(),
  severity: z.string().optional(),
});

/** @param isCut whether the preview ended before its first step */
export function saidIn(diagnostics: readonly Diagnostic[], isCut: boolean): Said {
  return {
    errors: errorsOf(diagnostics, isCut),
    announced: diagnostics.flatMap(announcedBy),
    previewed: diagnostics.flatMap(previewedBy),
  };
}

/**
 * An invalid YAML program has no diagnostic of severity `error`: its language host prints the error, with this beginning
 * (`hcl.NewDiagnosticTextWriter`).
 */
const YAML_ERROR = "\u001b[31mError\u001b[0m:";

function isError({ severity, message }: Diagnostic): boolean {
  return severity === "error" || (severity === PRINTED && message?.startsWith(YAML_ERROR) === true);
}

/** The severity of what a program or a plugin prints to its standard error. */
const PRINTED = "info#err";

/**
 * The messages of a failed preview. Where no resource has an error, the program could not run, and often only its standard error
 * says why: that the SDK is not installed, or that the code does not compile.
 */
function errorsOf(diagnostics: readonly Diagnostic[], isCut: boolean): string[] {
  const errors = diagnostics.filter(isError);
  const hasRun = errors.length === 0 ? !isCut : !errors.every(isOfProgram);
  const printed = hasRun
    ? []
    : diagnostics.filter((each) => each.severity === PRINTED && isOfProgram(each) && !errors.includes(each));
  const messages = [...errors.map(messageOf), printed.map(messageOf).join("\n")];
  return messages.filter((each) => each.trim() !== "");
}

function isOfProgram({ urn = "" }: Diagnostic): boolean {
  return urn === "" || typeIn(urn) === STACK_TYPE;
}

function announcedBy(diagnostic: Diagnostic): Said["announced"] {
  const announced = announcedLoss(messageOf(diagnostic));
  return announced ? [{ ...announced, urn: diagnostic.urn ?? "" }] : [];
}

function previewedBy(diagnostic: Diagnostic): Said["previewed"] {
  const message = messageOf(diagnostic);
  const settings = statedSettings(message);
  if (!settings && !isAccessChange(message)) return [];
  return [{ urn: diagnostic.urn ?? "", ...(settings && { settings }) }];
}

function messageOf({ message }: Diagnostic): string {
  return stripVTControlCharacters(message ?? "").trim();
}
