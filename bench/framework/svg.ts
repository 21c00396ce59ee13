import type { BarPlot, LinePlot, Plot } from "./result";

/** Plots as SVG. They have a white background of their own, so that they can be read on dark pages too. */

const WIDTH = 820;
const COLORS = ["#1f6feb", "#d1570a", "#1a7f37", "#8250df", "#57606a", "#bf3989"];
const INK = "#1f2328";
const GRID = "#d0d7de";

export function svg(plot: Plot): string {
  return plot.kind === "bars" ? barPlot(plot) : linePlot(plot);
}

function barPlot({ title, unit, bars }: BarPlot): string {
  const [left, top, step] = [230, 54, 30];
  const width = WIDTH - left - 90;
  const most = Math.max(...bars.map((bar) => bar.high), 0) || 1;
  const at = (value: number) => (value / most) * width;
  const parts = bars.flatMap(({ name, value, low, high }, index) => {
    const y = top + index * step;
    const middle = y + 9;
    return [
      text(left - 8, middle + 4, name, "end"),
      `<rect x="${left}" y="${y}" width="${n(at(value))}" height="18" fill="${color(index)}"/>`,
      high > low ? line(left + at(low), middle, left + at(high), middle, INK) : "",
      text(left + at(high) + 6, middle + 4, shown(value)),
    ];
  });
  return frame(title, unit, top + bars.length * step + 10, parts);
}

function linePlot({ title, x, y, series }: LinePlot): string {
  const [left, top, height] = [70, 54, 280];
  // The legend on the right takes what its longest name needs.
  const width = WIDTH - left - 50 - 7.5 * Math.max(...series.map(({ name }) => name.length), 0);
  const points = series.flatMap((each) => each.points);
  const [mostX, mostY] = [
    nice(Math.max(...points.map(([at]) => at), 1)),
    nice(Math.max(...points.map(([, v]) => v), 0)),
  ];
  const px = (value: number) => left + (value / mostX) * width;
  const py = (value: number) => top + height - (value / mostY) * height;
  const grid = [0, 0.25, 0.5, 0.75, 1].flatMap((share) => [
    line(left, py(share * mostY), left + width, py(share * mostY), GRID),
    text(left - 8, py(share * mostY) + 4, shown(share * mostY), "end"),
    text(px(share * mostX), top + height + 18, shown(share * mostX), "middle"),
  ]);
  const lines = series.flatMap(({ name, points: own }, index) => [
    `<polyline fill="none" stroke="${color(index)}" stroke-width="2" points="${own.map(([a, b]) => `${n(px(a))},${n(py(b))}`).join(" ")}"/>`,
    ...own.map(([a, b]) => `<circle cx="${n(px(a))}" cy="${n(py(b))}" r="3" fill="${color(index)}"/>`),
    `<rect x="${left + width + 20}" y="${top + index * 22}" width="12" height="12" fill="${color(index)}"/>`,
    text(left + width + 38, top + index * 22 + 11, name),
  ]);
  const axis = text(left + width / 2, top + height + 38, x, "middle");
  return frame(title, y, top + height + 50, [...grid, axis, ...lines]);
}

function frame(title: string, unit: string, height: number, parts: readonly string[]): string {
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" aria-label="${escaped(title)}" font-family="system-ui, sans-serif" font-size="13">`,
    `<rect width="${WIDTH}" height="${height}" fill="#ffffff"/>`,
    `<text x="16" y="24" font-size="16" font-weight="600" fill="${INK}">${escaped(title)}</text>`,
    text(16, 42, unit),
    ...parts.filter((part) => part !== ""),
    "</svg>",
    "",
  ].join("\n");
}

function text(x: number, y: number, content: string, anchor = "start"): string {
  return `<text x="${n(x)}" y="${n(y)}" text-anchor="${anchor}" fill="${INK}">${escaped(content)}</text>`;
}

function line(x1: number, y1: number, x2: number, y2: number, stroke: string): string {
  return `<line x1="${n(x1)}" y1="${n(y1)}" x2="${n(x2)}" y2="${n(y2)}" stroke="${stroke}"/>`;
}

const color = (index: number): string => COLORS[index % COLORS.length] as string;
const n = (value: number): string => String(Math.round(value * 10) / 10);

/** Rounds to three digits, the precision of a bench. */
const shown = (value: number): string =>
  Number(value.toPrecision(3)).toLocaleString("en-US", { maximumFractionDigits: 3 });

/** The next of 1, 2, 4, 5, 10 times a power of ten: axes end at a number that can be quartered. */
function nice(value: number): number {
  if (value <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return ([1, 2, 4, 5, 10].find((factor) => factor * power >= value) ?? 10) * power;
}

function escaped(content: string): string {
  return content.replace(/[&<>"]/g, (each) => `&#${each.charCodeAt(0)};`);
}
