/** Where a command reads from and writes to, and what ends it. */
export interface Terminal {
  /** Writes to standard output. */
  write(text: string): void;
  /** Writes to standard error. */
  writeError(text: string): void;
  /** @default standard input */
  input?: NodeJS.ReadableStream & { isTTY?: boolean };
  /** What standard output is. @default that of the process */
  screen?: Screen;
  /** @default process.env */
  environment?: Readonly<Record<string, string | undefined>>;
  /** Ends a command that runs until it is stopped. @default Ctrl-C or SIGTERM */
  stop?: AbortSignal;
}

/** Standard output, as far as it matters for how text looks there. */
export interface Screen {
  isTTY?: boolean;
  /** Undefined where it is no terminal. */
  columns?: number;
}

/** A reader under pressure (`| head`) or a file gets lines of this width. */
const DEFAULT_WIDTH = 80;

/**
 * How text is to look on standard output.
 *
 * @param colour false where the user wants none (`--no-colour`). Else FORCE_COLOR and NO_COLOR decide, as
 *   https://force-color.org and https://no-color.org have it, and then whether it is a terminal.
 */
export function textStyle({ environment = process.env, screen = process.stdout }: Terminal, colour: boolean) {
  const { FORCE_COLOR: force, NO_COLOR: none } = environment;
  const wanted = force ? force !== "0" && force !== "false" : !none && screen.isTTY === true;
  return { width: screen.columns ?? DEFAULT_WIDTH, colour: colour && wanted };
}
