import { GO_PEER } from "./framework/names";
import { bars, rows, type Bench } from "./framework/result";
import { stacks } from "./framework/stacks";
import { goPeerNotes } from "./peers/go-plugin";

/** How much memory does the provider have at most during `pulumi up`? Memory after the start is in startup.ts. */
export const memory: Bench = {
  name: "memory",
  async run(options) {
    const { resources, measured } = await stacks(options);
    const all = rows(measured).filter(({ figures }) => figures.peak !== undefined);
    return {
      title: `Most memory of the provider's process during \`pulumi up\` of ${resources} new associations, in MB`,
      tables: [
        {
          of: "front",
          columns: [
            { key: "peak", title: "MB" },
            { key: "peak", title: "× Go plugin", digits: 2, relativeTo: GO_PEER },
            { key: "cli", title: "the CLI, MB" },
          ],
          rows: all,
        },
      ],
      plots: [bars("memory", `Most memory of the provider, pulumi up of ${resources}`, "MB", all, "peak")],
      notes: ["Resident memory, as Linux counts it.", ...goPeerNotes()],
    };
  },
};
