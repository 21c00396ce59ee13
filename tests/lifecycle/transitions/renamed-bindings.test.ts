/** Role bindings that get another name, or another provider, from one run of the engine to the next. */
import { binding } from "./notation";
import { describeTransitions, type Transition } from "./transitions";

const ROWS: readonly Transition[] = [
  {
    title: "A binding that is renamed without an alias keeps its members, and others leave",
    before: { a: binding("reader", "ada grace") },
    others: { reader: "olga" },
    after: { b: binding("reader", "ada grace") },
    expected: { reader: "ada grace" },
    inReplaceMode: "the same",
  },
  {
    title: "A binding that is renamed without an alias while its first member changes has the new members",
    before: { a: binding("reader", "ada grace") },
    after: { b: binding("reader", "linus grace") },
    expected: { reader: "linus grace" },
    inReplaceMode: "the same",
  },
  {
    title: "A binding that is renamed without an alias while its role changes leaves the old role to others alone",
    before: { a: binding("reader", "ada grace") },
    others: { reader: "olga" },
    after: { b: binding("editor", "ada grace") },
    expected: { editor: "ada grace", reader: "olga" },
  },
  {
    title: "A binding that is renamed by an alias is left as it is",
    before: { a: binding("reader", "ada grace") },
    others: { reader: "olga" },
    after: { b: binding("reader", "ada grace", { formerly: "a" }) },
    expected: { reader: "ada grace olga" },
    inReplaceMode: "the same",
  },
  {
    title: "A binding that is renamed by an alias while its first member changes has the new members",
    before: { a: binding("reader", "ada grace") },
    others: { reader: "olga" },
    after: { b: binding("reader", "linus grace", { formerly: "a" }) },
    expected: { reader: "linus grace" },
    inReplaceMode: "the same",
  },
  {
    title: "A binding that is renamed by an alias while its role changes takes the old role from its members",
    before: { a: binding("reader", "ada grace") },
    after: { b: binding("editor", "ada grace", { formerly: "a" }) },
    expected: { editor: "ada grace" },
    inReplaceMode: "the same",
  },
  {
    title: "A binding that is renamed by an alias while its role changes leaves the old role to others",
    before: { a: binding("reader", "ada grace") },
    others: { reader: "olga" },
    after: { b: binding("editor", "ada grace", { formerly: "a" }) },
    expected: { editor: "ada grace", reader: "olga" },
  },
  {
    title: "A binding that is renamed by an alias while it gets a condition gives the role under the condition alone",
    before: { a: binding("reader", "ada grace") },
    after: { b: binding("reader if nights", "ada grace", { formerly: "a" }) },
    expected: { "reader if nights": "ada grace" },
  },
  {
    title: "A binding that is renamed by an alias while its condition is removed gives the role without it alone",
    before: { a: binding("reader if nights", "ada grace") },
    after: { b: binding("reader", "linus grace", { formerly: "a" }) },
    expected: { reader: "linus grace" },
  },
  {
    title: "A binding that is renamed by an alias while it goes to another resource gives the role there alone",
    before: { a: binding("reader", "ada grace") },
    after: { b: binding("reader", "ada grace", { formerly: "a", on: "second" }) },
    expected: { "reader on second": "ada grace" },
  },
  {
    title: "A binding whose name another binding takes by an alias, with another role, leaves nobody the old role",
    before: { a: binding("reader", "ada"), b: binding("editor", "grace") },
    after: { c: binding("editor", "ada grace", { formerly: "a" }) },
    expected: { editor: "ada grace" },
  },
  {
    title: "A binding that moves to another explicit provider keeps its members, and others leave",
    before: { b: binding("reader", "ada grace", { provider: "north" }) },
    others: { reader: "olga" },
    after: { b: binding("reader", "ada grace", { provider: "south" }) },
    expected: { reader: "ada grace" },
    inReplaceMode: "the same",
  },
  {
    title: "A binding that moves to another explicit provider while its first member changes has the new members",
    before: { b: binding("reader", "ada grace", { provider: "north" }) },
    after: { b: binding("reader", "linus grace", { provider: "south" }) },
    expected: { reader: "linus grace" },
  },
  {
    title:
      "A binding that moves to another explicit provider by an alias while its role changes leaves the old role to others",
    before: { a: binding("reader", "ada grace", { provider: "north" }) },
    others: { reader: "olga" },
    after: { b: binding("editor", "ada grace", { provider: "south", formerly: "a" }) },
    expected: { editor: "ada grace", reader: "olga" },
  },
];

describeTransitions(ROWS);
