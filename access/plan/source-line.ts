import * as path from "node:path";
import { isRecord, textOf } from "../../provider/core/unknown";

/** A line of a program. */
export interface SourceLine {
  /** Relative to the folder of the project, with forward slashes. */
  file: string;
  line: number;
}

/**
 * The first line of the program's own code in the stack of a resource's registration. Code of packages, of generated SDKs and
 * outside of the project's folder is not the program's own. Undefined if the stack has no such line.
 *
 * @param registration as `ResourceV3` of sdk/go/common/apitype/core.go has it. `sourcePosition`: `project:///index.ts#3,1`, a URL
 * relative to the project's folder, with the line and perhaps the column. `stackTrace`: a list of objects with such a position,
 * the call of the constructor first. Frames of the language's runtime have none.
 */
export function ownLine(registration: { sourcePosition?: unknown; stackTrace?: unknown }): SourceLine | undefined {
  const { sourcePosition, stackTrace } = registration;
  const frames: unknown[] = Array.isArray(stackTrace) && stackTrace.length > 0 ? stackTrace : [{ sourcePosition }];
  for (const frame of frames) {
    const line = isRecord(frame) ? lineAt(textOf(frame.sourcePosition)) : undefined;
    if (line && !OF_OTHERS.test(line.file)) return line;
  }
  return undefined;
}

/** The file and the line of a position. Node's class URL would drop the `..` at the beginning of a path. */
const POSITION = /^project:\/\/\/([^?#]+)#([1-9]\d{0,8})(?:,\d+)?$/;

const OF_OTHERS = new RegExp(
  [
    // Outside of the project's folder.
    String.raw`^(?:\.\.(?:/|$)|/|[A-Za-z]:)`,
    // Packages of npm, of Python and of Go.
    String.raw`(?:^|/)(?:node_modules|\.yarn|site-packages|dist-packages|pkg/mod)/`,
    String.raw`^vendor/[^/]+\.[^/]+/`,
    // `pulumi package add` writes SDKs into the folder sdks, `pulumi package gen-sdk` into sdk.
    String.raw`^sdks?/`,
  ].join("|"),
);

function lineAt(position: string): SourceLine | undefined {
  const [, file, line] = POSITION.exec(position) ?? [];
  if (file === undefined || line === undefined) return undefined;
  try {
    return { file: path.posix.normalize(decodeURIComponent(file)), line: Number(line) };
  } catch {
    // An invalid encoding.
    return undefined;
  }
}
