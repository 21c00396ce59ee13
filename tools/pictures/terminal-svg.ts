/**
 * A terminal as an SVG: its text with the colors that the command printed (ECMA-48, "select graphic rendition"). An SVG is
 * small, sharp at any size, and can be compared with the current output of the command.
 */

interface Style {
  color?: string;
  bold?: boolean;
  dim?: boolean;
}

interface Span extends Style {
  text: string;
}

const FONT_SIZE = 13;
/** Of the fonts below, in pixels. */
const CHARACTER_WIDTH = 7.83;
const LINE_HEIGHT = 19;
const MARGIN = 16;
const BAR = 30;
const FONTS = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace";
const [BACKGROUND, BAR_COLOR, TEXT] = ["#1b1f27", "#2a303b", "#d7dce5"];

/** The sixteen colors of terminals, readable on the background. */
const COLORS = [
  ...["#5c6370", "#f2777a", "#8fd18b", "#f5c76b", "#7aa2f7", "#d79bf0", "#6cd0d8", "#d7dce5"],
  ...["#7d8590", "#ff8f8f", "#a8e6a3", "#ffd98a", "#8fb5ff", "#e0b0ff", "#8be3ea", "#ffffff"],
];

// eslint-disable-next-line no-control-regex -- what terminals are told begins with ESC
const RENDITION = /\x1b\[([\d;]*)m/g;

/**
 * @param command the typed command, shown after a `$`
 * @param output its output, with colors
 * @param columns width of the terminal; longer lines are wrapped
 */
export function terminalSvg(command: string, output: string, columns: number): string {
  const lines = [[{ text: `$ ${command}`, bold: true }], ...linesOf(output, columns)];
  const width = Math.ceil(columns * CHARACTER_WIDTH + 2 * MARGIN);
  const height = BAR + lines.length * LINE_HEIGHT + 2 * MARGIN - 6;
  const dots = ["#f2777a", "#f5c76b", "#8fd18b"].map(
    (color, at) => `<circle cx="${MARGIN + 4 + at * 18}" cy="${BAR / 2}" r="5" fill="${color}"/>`,
  );
  const rows = lines.map(
    (spans, at) =>
      `<text xml:space="preserve" x="${MARGIN}" y="${BAR + MARGIN + 10 + at * LINE_HEIGHT}">${spans.map(tspan).join("")}</text>`,
  );
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img">`,
    `<title>${escaped(command)}</title>`,
    `<rect width="100%" height="100%" rx="8" fill="${BACKGROUND}"/>`,
    `<path d="M0 ${BAR}V8a8 8 0 0 1 8-8H${width - 8}a8 8 0 0 1 8 8V${BAR}z" fill="${BAR_COLOR}"/>`,
    ...dots,
    `<g font-family="${FONTS}" font-size="${FONT_SIZE}" fill="${TEXT}">`,
    ...rows,
    "</g>",
    "</svg>",
    "",
  ].join("\n");
}

/** The text of a picture, line by line; wrapped lines stay wrapped. */
export function textOfPicture(svg: string): string {
  return [...svg.matchAll(/<text [^>]*>(.*?)<\/text>/g)]
    .map(([, content = ""]) => content.replace(/<[^>]*>/g, ""))
    .map((text) => text.replaceAll("&lt;", "<").replaceAll("&gt;", ">").replaceAll("&amp;", "&"))
    .join("\n");
}

function linesOf(output: string, columns: number): Span[][] {
  let style: Style = {};
  return output
    .trimEnd()
    .split("\n")
    .flatMap((line) => {
      const spans: Span[] = [];
      let from = 0;
      for (const rendition of line.matchAll(RENDITION)) {
        spans.push({ ...style, text: line.slice(from, rendition.index) });
        style = changed(style, (rendition[1] ?? "").split(";").map(Number));
        from = rendition.index + rendition[0].length;
      }
      spans.push({ ...style, text: line.slice(from) });
      return wrapped(
        spans.filter(({ text }) => text !== ""),
        columns,
      );
    });
}

function changed(style: Style, codes: readonly number[]): Style {
  const [code = 0, kind, index] = codes;
  if (code === 38) return { ...style, color: kind === 5 ? COLORS[index ?? 7] : style.color };
  let next = style;
  for (const each of codes) {
    if (each === 0) next = {};
    else if (each === 1) next = { ...next, bold: true };
    else if (each === 2) next = { ...next, dim: true };
    else if (each === 22) next = { ...next, bold: false, dim: false };
    else if (each === 39) next = { ...next, color: undefined };
    else if (each >= 30 && each <= 37) next = { ...next, color: COLORS[each - 30] };
    else if (each >= 90 && each <= 97) next = { ...next, color: COLORS[each - 82] };
  }
  return next;
}

function wrapped(spans: readonly Span[], columns: number): Span[][] {
  const lines: Span[][] = [[]];
  let room = columns;
  for (const span of spans) {
    let { text } = span;
    while (text.length > room) {
      lines.at(-1)?.push({ ...span, text: text.slice(0, room) });
      text = text.slice(room);
      lines.push([]);
      room = columns;
    }
    lines.at(-1)?.push({ ...span, text });
    room -= text.length;
  }
  return lines;
}

function tspan({ text, color, bold, dim }: Span): string {
  const style = [color && `fill="${color}"`, bold && 'font-weight="bold"', dim && 'opacity="0.65"'].filter(Boolean);
  return style.length === 0 ? escaped(text) : `<tspan ${style.join(" ")}>${escaped(text)}</tspan>`;
}

function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
