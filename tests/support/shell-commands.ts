/** Reads the simple commands of a shell script, as far as the scripts of documents need it: no arithmetic, no functions. */

export interface ShellCommand {
  /** The command and its arguments, quotes taken off, assignments before it left out. */
  words: string[];
  /** Files that its output goes to. */
  writes: string[];
}

const KEYWORDS = new Set(["if", "then", "elif", "else", "fi", "for", "while", "until", "do", "done", "!", "{", "}"]);
const OPERATOR = /^(?:\|\||&&|;;|[|;&()])/;
const REDIRECTION = /^\d?(?:>>|>&|>\||<<<|[<>])\s*/;
const ASSIGNMENT = /^\w+=/;

/** The commands of a script in their order, those of pipes and of lists too. Heredocs and comments are left out. */
export function commandsOf(script: string): ShellCommand[] {
  const lines = withoutHeredocs(script)
    .replaceAll("\\\n", " ")
    // The words after `for … in` are values, and not commands.
    .replaceAll(/^(\s*)for \w+ in .*?(?=;|$)/gm, "$1")
    .split("\n");
  return lines.flatMap(commandsOfLine).filter(({ words, writes }) => words.length + writes.length > 0);
}

function withoutHeredocs(script: string): string {
  return script.replace(/(<<-?\s*(['"]?)(\w+)\2[^\n]*\n)[^]*?\n?^\t*\3$/gm, (_, opening: string) =>
    opening.replace(/<<-?\s*(['"]?)\w+\1/, ""),
  );
}

function commandsOfLine(line: string): ShellCommand[] {
  const commands: ShellCommand[] = [{ words: [], writes: [] }];
  let rest = line.trimStart();
  while (rest !== "" && !rest.startsWith("#")) {
    const current = commands.at(-1) as ShellCommand;
    const [redirection] = REDIRECTION.exec(rest) ?? [];
    const [operator] = OPERATOR.exec(rest) ?? [];
    if (redirection !== undefined) {
      const [word, length] = firstWord(rest.slice(redirection.length));
      if (redirection.includes(">") && !redirection.includes("&")) current.writes.push(word);
      rest = rest.slice(redirection.length + length);
    } else if (operator !== undefined) {
      commands.push({ words: [], writes: [] });
      rest = rest.slice(operator.length);
    } else {
      const [word, length] = firstWord(rest);
      const begins = current.words.length === 0;
      if (!begins || !(KEYWORDS.has(word) || ASSIGNMENT.test(word))) current.words.push(word);
      rest = rest.slice(length);
    }
    rest = rest.trimStart();
  }
  return commands;
}

/** The word at the start of a text without its quotes, and its length with them. `$(…)` is a part of a word. */
function firstWord(text: string): [word: string, length: number] {
  const parts = /^(?:'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)|\$\(([^()]*)\)|([^\s'"\\|;&()<>]))/;
  let word = "";
  let length = 0;
  for (let found = parts.exec(text); found; found = parts.exec(text.slice(length))) {
    const [whole, single, double, escaped, substituted, plain] = found;
    word += single ?? double ?? escaped ?? (substituted === undefined ? undefined : whole) ?? plain ?? "";
    length += whole.length;
  }
  return [word, Math.max(length, 1)];
}
