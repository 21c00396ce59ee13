import { GO_PEER } from "./framework/names";
import { rows, type Bench } from "./framework/result";
import { stacks } from "./framework/stacks";
import { goPeerNotes } from "./peers/go-plugin";

/** How many bytes of the state is one resource? Each `up` reads and writes all of them. */
export const state: Bench = {
  name: "state",
  async run(options) {
    const { resources, measured } = await stacks(options);
    const all = rows(measured, { "npm package": "2,200 bytes" }).filter(({ figures }) => figures.state !== undefined);
    return {
      title: "Bytes of one association in the state, as compact JSON",
      tables: [
        {
          of: "front",
          columns: [
            { key: "state", title: "bytes" },
            { key: "state", title: "× Go plugin", digits: 2, relativeTo: GO_PEER },
          ],
          rows: all,
        },
      ],
      plots: [],
      notes: [
        `The mean of ${resources}. Some 440 bytes of each are where the program declared it (Pulumi's stack trace).`,
        ...goPeerNotes(),
      ],
    };
  },
};
