/** Members whose identity was deleted, so that the state has the deleted form, and was recovered before the next run. */
import { binding, member } from "./notation";
import { describeTransitions, type Transition } from "./transitions";

const GRANT = { before: { m: member("reader", "ada") }, others: { reader: "olga" }, recovered: "ada" } as const;
const BINDING = {
  before: { b: binding("reader", "ada grace") },
  others: { reader: "olga" },
  recovered: "ada",
} as const;

const ROWS: readonly Transition[] = [
  {
    ...GRANT,
    title: "A grant of a recovered member stays",
    after: { m: member("reader", "ada") },
    expected: { reader: "ada olga" },
    inReplaceMode: "alone",
  },
  {
    ...GRANT,
    title: "A deleted grant takes the role from a recovered member",
    after: {},
    expected: { reader: "olga" },
    inReplaceMode: "the same",
  },
  {
    ...GRANT,
    title: "A change of a grant's role takes the old role from a recovered member",
    after: { m: member("editor", "ada") },
    expected: { editor: "ada", reader: "olga" },
  },
  {
    ...GRANT,
    title: "A grant of a recovered member that is deleted before its replacement has the new role alone",
    after: { m: member("editor", "ada", { deleteBeforeReplace: true }) },
    expected: { editor: "ada", reader: "olga" },
  },
  {
    ...GRANT,
    title: "A grant of a recovered member that is renamed without an alias stays",
    after: { n: member("reader", "ada") },
    expected: { reader: "ada olga" },
    inReplaceMode: "alone",
  },
  {
    ...GRANT,
    title: "A grant of a recovered member that is renamed by an alias stays",
    after: { n: member("reader", "ada", { formerly: "m" }) },
    expected: { reader: "ada olga" },
  },
  {
    ...GRANT,
    title: "A grant of a recovered member that is renamed by an alias while its role changes has the new role alone",
    after: { n: member("editor", "ada", { formerly: "m" }) },
    expected: { editor: "ada", reader: "olga" },
  },
  {
    title: "The second of two grants of a recovered member goes, and the grant stays",
    before: { a: member("reader", "ada"), b: member("reader", "ada") },
    recovered: "ada",
    after: { a: member("reader", "ada", { keepsSpelling: true }) },
    expected: { reader: "ada" },
  },
  {
    ...BINDING,
    title: "A binding with a recovered member keeps it, and others leave",
    after: { b: binding("reader", "ada grace") },
    expected: { reader: "ada grace" },
    inReplaceMode: "the same",
  },
  {
    ...BINDING,
    title: "A deleted binding takes the role from a recovered member, and others keep theirs",
    after: {},
    expected: { reader: "olga" },
    inReplaceMode: "the same",
  },
  {
    ...BINDING,
    title: "A change of a binding's role takes the old role from a recovered member",
    after: { b: binding("editor", "ada grace") },
    expected: { editor: "ada grace", reader: "olga" },
    inReplaceMode: "the same",
  },
  {
    ...BINDING,
    title: "A binding without its recovered member takes the role from it",
    after: { b: binding("reader", "grace") },
    expected: { reader: "grace" },
  },
  {
    ...BINDING,
    title: "A binding with a recovered member that is renamed without an alias keeps it",
    after: { c: binding("reader", "ada grace") },
    expected: { reader: "ada grace" },
    inReplaceMode: "the same",
  },
  {
    ...BINDING,
    title: "A binding with a recovered member that is renamed by an alias keeps it",
    after: { c: binding("reader", "ada grace", { formerly: "b" }) },
    expected: { reader: "ada grace" },
  },
  {
    ...BINDING,
    title: "A binding with a recovered member becomes a grant of this member",
    after: { m: member("reader", "ada") },
    expected: { reader: "ada olga" },
  },
];

describeTransitions(ROWS);
