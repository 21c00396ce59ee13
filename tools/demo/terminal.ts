/** Prints the demo: captions in bold, commands as typed, their output indented. */
const bold = (text: string) => (process.stdout.isTTY ? `\u001b[1m${text}\u001b[0m` : text);

export function caption(text: string): void {
  console.log(`\n${bold(`# ${text}`)}`);
}

export function command(text: string): void {
  console.log(`$ ${text}`);
}

export function shown(text: string): void {
  const lines = text.trim().split("\n");
  console.log(lines.map((line) => `  ${line}`.trimEnd()).join("\n"));
}
