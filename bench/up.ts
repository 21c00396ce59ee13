import { EMPTY, GO_PEER } from "./framework/names";
import { bars, rows, type Bench } from "./framework/result";
import { PARALLEL, stacks, TIME_GOALS } from "./framework/stacks";
import { goPeerNotes } from "./peers/go-plugin";

/** How long does `pulumi up` of many resources take, against the least Go plugin and a plain dynamic provider? */
export const up: Bench = {
  name: "up",
  async run(options) {
    const { resources, measured } = await stacks(options);
    const all = rows(measured, TIME_GOALS);
    return {
      title: `\`pulumi up\` of ${resources} new associations with \`--parallel ${PARALLEL}\`, in seconds`,
      tables: [
        {
          of: "front",
          columns: [
            { key: "up", title: "s", digits: 1 },
            { key: "up", title: "above the empty stack", digits: 1, above: EMPTY },
            { key: "up", title: "× Go plugin", digits: 2, above: EMPTY, relativeTo: GO_PEER },
            { key: "requests", title: "requests a resource", digits: 2 },
          ],
          rows: all,
        },
      ],
      plots: [bars("up", `pulumi up of ${resources} associations`, "seconds, median and spread", all, "up")],
      notes: goPeerNotes(),
    };
  },
};
