/** Runs that fail, and then a run with another program: the one before, or one without the resource. */
import { binding, member } from "./notation";
import { describeTransitions, type Transition } from "./transitions";

const REFUSED: readonly Transition[] = [
  {
    title: "A grant whose delete failed stays when the program declares it again",
    before: { m: member("reader", "ada") },
    others: { reader: "olga" },
    after: {},
    failing: "delete m",
    meanwhile: { reader: "ada" },
    then: { m: member("reader", "ada") },
    expected: { reader: "ada olga" },
  },
  {
    title: "A grant whose replacement could not delete it has its role again, and loses the new one",
    before: { m: member("reader", "ada") },
    others: { reader: "olga", editor: "otto" },
    after: { m: member("editor", "ada") },
    failing: "delete m",
    meanwhile: { reader: "ada", editor: "ada" },
    then: { m: member("reader", "ada") },
    expected: { reader: "ada olga", editor: "otto" },
  },
  {
    title: "A grant that could not be deleted before its replacement stays when the program is the one before",
    before: { m: member("reader", "ada", { deleteBeforeReplace: true }) },
    after: { m: member("editor", "ada", { deleteBeforeReplace: true }) },
    failing: "delete m",
    meanwhile: { reader: "ada" },
    then: { m: member("reader", "ada", { deleteBeforeReplace: true }) },
    expected: { reader: "ada" },
  },
  {
    title: "A grant that was renamed with another role, and whose delete failed, has its name and role again",
    before: { a: member("reader", "ada") },
    after: { b: member("editor", "ada") },
    failing: "delete a",
    meanwhile: { reader: "ada", editor: "ada" },
    then: { a: member("reader", "ada") },
    expected: { reader: "ada" },
  },
  {
    title: "A binding whose delete failed owns its role again",
    before: { b: binding("reader", "ada grace") },
    others: { editor: "olga" },
    after: {},
    failing: "delete b",
    meanwhile: { reader: "ada grace" },
    then: { b: binding("reader", "ada grace") },
    expected: { reader: "ada grace", editor: "olga" },
    inReplaceMode: "the same",
  },
  {
    title: "A binding whose replacement could not delete it has its role again, and loses the new one",
    before: { b: binding("reader", "ada grace") },
    others: { editor: "olga" },
    after: { b: binding("editor", "ada linus") },
    failing: "delete b",
    meanwhile: { reader: "ada grace", editor: "ada linus" },
    then: { b: binding("reader", "ada grace") },
    expected: { reader: "ada grace" },
    inReplaceMode: "the same",
  },
  {
    title: "Member grants whose binding could not be made are grants again",
    before: { a: member("reader", "ada"), b: member("reader", "grace") },
    after: { all: binding("reader", "ada linus") },
    failing: "create all",
    meanwhile: { reader: "ada grace" },
    then: { a: member("reader", "ada"), b: member("reader", "grace") },
    expected: { reader: "ada grace" },
  },
];

const interrupted = {
  before: { b: binding("reader", "ada grace") },
  others: { editor: "olga" },
  after: { b: binding("reader", "linus grace") },
  failing: "update b",
  interrupted: "after",
} as const;

const INTERRUPTED: readonly Transition[] = [
  {
    ...interrupted,
    title: "A binding that is removed after an interrupted update leaves neither its old nor its new members",
    then: {},
    expected: { editor: "olga" },
    inReplaceMode: "the same",
  },
  {
    ...interrupted,
    title: "A binding that gets another role after an interrupted update leaves nobody the old role",
    others: {},
    then: { b: binding("editor", "ada") },
    expected: { editor: "ada" },
  },
  {
    ...interrupted,
    title: "A binding whose update was interrupted has its members again when the program is the one before",
    then: { b: binding("reader", "ada grace") },
    expected: { reader: "ada grace", editor: "olga" },
    inReplaceMode: "the same",
  },
];

describeTransitions([...REFUSED, ...INTERRUPTED]);
