/** Member grants that become role bindings, and the other way round, from one run of the engine to the next. */
import { binding, member } from "./notation";
import { describeTransitions, type Transition } from "./transitions";

const ROWS: readonly Transition[] = [
  {
    title: "Member grants that become a binding of the same role keep the role, and others leave",
    before: { a: member("reader", "ada"), b: member("reader", "grace") },
    others: { reader: "olga" },
    after: { all: binding("reader", "ada grace") },
    expected: { reader: "ada grace" },
  },
  {
    title: "A member grant that becomes a binding of the same role keeps the role",
    before: { a: member("reader", "ada") },
    others: { editor: "olga" },
    after: { all: binding("reader", "ada") },
    expected: { reader: "ada", editor: "olga" },
    inReplaceMode: "the same",
  },
  {
    title: "Member grants of which a binding keeps only one leave the role to this one",
    before: { a: member("reader", "ada"), b: member("reader", "grace") },
    after: { all: binding("reader", "grace") },
    expected: { reader: "grace" },
  },
  {
    title: "A member grant that becomes a binding of another role leaves the old role to others",
    before: { a: member("reader", "ada") },
    others: { reader: "olga" },
    after: { all: binding("editor", "ada grace") },
    expected: { editor: "ada grace", reader: "olga" },
    inReplaceMode: "the same",
  },
  {
    title: "Member grants under a condition that become a binding under this condition keep the role",
    before: { a: member("reader if nights", "ada"), b: member("reader", "grace") },
    after: { all: binding("reader if nights", "ada"), b: member("reader", "grace") },
    expected: { "reader if nights": "ada", reader: "grace" },
  },
  {
    title: "A binding that becomes member grants leaves the role to them and to others",
    before: { all: binding("reader", "ada grace") },
    others: { reader: "olga" },
    after: { a: member("reader", "ada"), b: member("reader", "grace") },
    expected: { reader: "ada grace olga" },
  },
  {
    title: "A binding that becomes member grants leaves the role to them",
    before: { all: binding("reader", "ada grace") },
    after: { a: member("reader", "ada"), b: member("reader", "grace") },
    expected: { reader: "ada grace" },
  },
  {
    title: "A binding that becomes one member grant takes the role from its other members",
    before: { all: binding("reader", "ada grace") },
    after: { b: member("reader", "grace") },
    expected: { reader: "grace" },
    inReplaceMode: "alone",
  },
  {
    title: "A binding that becomes a member grant of another role takes the old role from its members",
    before: { all: binding("reader", "ada grace") },
    others: { editor: "olga" },
    after: { a: member("editor", "ada") },
    expected: { editor: "ada olga" },
  },
  {
    title: "A binding that becomes a grant of another member leaves the role to this member and to others",
    before: { all: binding("reader", "ada grace") },
    others: { reader: "olga" },
    after: { l: member("reader", "linus") },
    expected: { reader: "linus olga" },
  },
  {
    title: "A member grant and a binding that swap their roles have each other's role",
    before: { m: member("reader", "ada"), b: binding("editor", "grace") },
    others: { editor: "olga" },
    after: { m: member("editor", "ada"), b: binding("reader", "grace") },
    expected: { editor: "ada olga", reader: "grace" },
  },
  {
    title: "A binding that is deleted before its replacement while its members get grants leaves the role to them",
    before: { all: binding("reader", "ada grace") },
    after: { all: binding("editor", "ada grace", { deleteBeforeReplace: true }), a: member("reader", "ada") },
    expected: { editor: "ada grace", reader: "ada" },
  },
  {
    title:
      "A member grant that is deleted before its replacement while a binding takes its role leaves the role to the binding",
    before: { m: member("reader", "ada") },
    after: { m: member("editor", "ada", { deleteBeforeReplace: true }), all: binding("reader", "ada grace") },
    expected: { editor: "ada", reader: "ada grace" },
  },
  {
    title: "A binding that another provider makes again as member grants leaves the role to them",
    before: { all: binding("reader", "ada grace", { provider: "north" }) },
    after: { a: member("reader", "ada", { provider: "south" }), b: member("reader", "grace", { provider: "south" }) },
    expected: { reader: "ada grace" },
  },
  {
    title: "Member grants that another provider makes again as a binding keep the role",
    before: { a: member("reader", "ada", { provider: "north" }), b: member("reader", "grace", { provider: "north" }) },
    after: { all: binding("reader", "ada grace", { provider: "south" }) },
    expected: { reader: "ada grace" },
  },
];

describeTransitions(ROWS);
