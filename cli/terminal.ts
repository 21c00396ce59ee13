/** The streams and the environment of a command, and the signal that ends it. */
export interface Terminal {
  /** Writes to standard output. */
  write(text: string): void;
  /** Writes to standard error. */
  writeError(text: string): void;
  /** @default standard input */
  input?: NodeJS.ReadableStream & { isTTY?: boolean };
  /** Properties of standard output. @default that of the process */
  screen?: Screen;
  /** @default process.env */
  environment?: Readonly<Record<string, string | undefined>>;
  /** Ends a command that runs until it is stopped. @default Ctrl-C or SIGTERM */
  stop?: AbortSignal;
}

/** The properties of standard output that affect the format of text. */
export interface Screen {
  isTTY?: boolean;
  /** Undefined when the output is not a terminal. */
  columns?: number;
}

/** The width of lines in a pipe (`| head`) or a file. */
const DEFAULT_WIDTH = 80;

/**
 * The width and the use of colors on standard output.
 *
 * @param color false for `--no-color`. Otherwise FORCE_COLOR and NO_COLOR decide (https://force-color.org,
 *   https://no-color.org), and then whether standard output is a terminal.
 */
export function textStyle({ environment = process.env, screen = process.stdout }: Terminal, color: boolean) {
  const { FORCE_COLOR: force, NO_COLOR: none } = environment;
  const wanted = force ? force !== "0" && force !== "false" : !none && screen.isTTY === true;
  return { width: screen.columns ?? DEFAULT_WIDTH, color: color && wanted };
}

/**
 * What the program gives to its commands: the streams, and a place for the exit code. A command loads its module with `require`
 * when it runs: `--version` and `--help` need no module, and bundlers find the module.
 */
export interface CommandContext {
  terminal: Terminal;
  /** Sets the exit code of a command that finished. */
  exit(code: number): void;
}
