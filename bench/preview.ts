import { EMPTY, GO_PEER } from "./framework/names";
import { bars, rows, type Bench } from "./framework/result";
import { PARALLEL, stacks, TIME_GOALS } from "./framework/stacks";
import { goPeerNotes } from "./peers/go-plugin";

/** How long does a preview take in which nothing changes? */
export const preview: Bench = {
  name: "preview",
  async run(options) {
    const { resources, measured } = await stacks(options);
    const all = rows(measured, TIME_GOALS);
    return {
      title: `\`pulumi preview\` of ${resources} unchanged associations with \`--parallel ${PARALLEL}\`, in seconds`,
      tables: [
        {
          of: "front",
          columns: [
            { key: "preview", title: "s", digits: 1 },
            { key: "preview", title: "above the empty stack", digits: 1, above: EMPTY },
            { key: "preview", title: "× Go plugin", digits: 2, above: EMPTY, relativeTo: GO_PEER },
            { key: "previewCpu", title: "processor s", digits: 1 },
            { key: "previewRequests", title: "requests" },
          ],
          rows: all,
        },
      ],
      plots: [
        bars("preview", `pulumi preview of ${resources} unchanged`, "seconds, median and spread", all, "preview"),
      ],
      notes: goPeerNotes(),
    };
  },
};
