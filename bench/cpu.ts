import { EXECUTABLE, GO_PEER, PLUGIN } from "./framework/names";
import { bars, rows, type Bench } from "./framework/result";
import { stacks } from "./framework/stacks";
import { goPeerNotes } from "./peers/go-plugin";

/** How much processor time does a whole `pulumi up` take: the CLI, the program, and the provider? */
export const cpu: Bench = {
  name: "cpu",
  async run(options) {
    const { resources, measured } = await stacks(options);
    const all = rows(measured, { [PLUGIN]: "1.06 × Go", [EXECUTABLE]: "1.06 × Go" });
    return {
      title: `Processor time of all processes of \`pulumi up\` of ${resources} new associations, in seconds`,
      tables: [
        {
          of: "front",
          columns: [
            { key: "upCpu", title: "s", digits: 1 },
            { key: "upCpu", title: "× Go plugin", digits: 2, relativeTo: GO_PEER },
          ],
          rows: all,
        },
      ],
      plots: [bars("cpu", `Processor time of pulumi up of ${resources}`, "seconds, median and spread", all, "upCpu")],
      notes: ["User and system time, the emulator's not among them.", ...goPeerNotes()],
    };
  },
};
