import { DYNAMIC, GO_PEER } from "./framework/names";
import { rows, type Bench } from "./framework/result";
import { stacks } from "./framework/stacks";
import { goPeerNotes } from "./peers/go-plugin";

/** How many bytes of the state is one resource? Each `up` reads and writes all of them. */
export const state: Bench = {
  name: "state",
  async run(options) {
    const { resources, measured } = await stacks(options);
    const all = rows(measured, { [DYNAMIC]: "2,200 bytes" }).filter(({ figures }) => figures.state !== undefined);
    return {
      title: "Bytes of one association in the state, as compact JSON",
      tables: [
        {
          of: "front",
          columns: [
            { key: "state", title: "bytes" },
            { key: "state", title: "× Go plugin", digits: 2, relativeTo: GO_PEER },
            { key: "stateAlone", title: "without the stack trace" },
          ],
          rows: all,
        },
      ],
      plots: [],
      notes: [
        `The mean of ${resources}. Pulumi keeps where the program declared each resource, its stack trace, in the state too.`,
        ...goPeerNotes(),
      ],
    };
  },
};
