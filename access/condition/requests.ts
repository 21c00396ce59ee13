import { attributePath, integerLiteral, textLiteral, timeLiteral, within, type Expression } from "./expression";

/**
 * Requests to try a condition with. They are made of the condition's own literals, because only these can matter to it, and of
 * values that it does not name. Each of them is possible: a resource has a name, and no request comes from the past.
 */

/** The variables of a condition. The tags, the attributes of APIs and the schemes are behind methods. */
export interface Request {
  resource: { name: string; type: string; service: string; tags: readonly Tag[] };
  request: { time: Date; path: string; host: string; auth: { access_levels: readonly string[] } };
  destination: { ip: string; port: bigint };
  api: { attributes: ReadonlyMap<string, unknown> };
  /** The load-balancing scheme of a forwarding rule; absent if the request does not create one. */
  compute: { scheme?: string };
}

export interface Tag {
  key: string;
  value?: string;
}

const YEAR = 365.25 * 24 * 3_600_000;
/** A condition that refuses nothing in this time does not bound access. In milliseconds. */
const HORIZON = 100 * YEAR;

/** A text attribute: a value that no condition names, and the form of its real values. */
interface TextAttribute {
  other: string;
  form: RegExp;
}

const NAME: TextAttribute = {
  other: "projects/other-project/locations/other-place/things/other",
  form: /^[a-z]\w*\/[^/]/,
};
const TYPE: TextAttribute = { other: "other.googleapis.com/Other", form: /^[a-z\d.-]+\.googleapis\.com\/\w/ };
const PATH: TextAttribute = { other: "/other", form: /^\// };
const HOST: TextAttribute = { other: "other.invalid", form: /^[a-z\d][a-z\d-]*(?:\.[a-z\d-]+)+$/i };
const ADDRESS: TextAttribute = { other: "192.0.2.1", form: /^[\d.]+$|^[\da-f:]+$/i };
const OTHER_ROLE = "roles/other";
const OTHER_SCHEME = "OTHER";
const LARGEST_PORT = 65_535;
const TAG_METHODS = ["matchTag", "matchTagId", "hasTagKey", "hasTagKeyId"];
const SCHEME_METHODS = ["matchLoadBalancingSchemes", "isForwardingRuleCreationOperation"];
/** More literals of a kind are not tried. */
const MOST = 100;

type Call = Expression & { op: "rcall" };

/** The parts of a request that are chosen on their own. */
interface Parts {
  name: string;
  /** It begins with the service. */
  type: string;
  tags: readonly Tag[];
  time: number;
  path: string;
  host: string;
  levels: readonly string[];
  ip: string;
  port: number;
  attributes: ReadonlyMap<string, unknown>;
  scheme: string | undefined;
}

/** The values to try for each part. The first has the least to do with the condition. */
type Choices = { [Part in keyof Parts]: ReadonlyArray<Parts[Part]> };

/** The requests from `now` on, those that have the least to do with the condition first. */
export function* requestsFor(expression: Expression, now: number): Generator<Request> {
  for (const parts of combinations(choicesFor(expression, now))) {
    const { name, type, tags, time, path, host, levels, ip, port, attributes, scheme } = parts;
    yield {
      resource: { name, type, service: type.split("/")[0] ?? "", tags },
      request: { time: new Date(time), path, host, auth: { access_levels: levels } },
      destination: { ip, port: BigInt(port) },
      api: { attributes },
      compute: scheme === undefined ? {} : { scheme },
    };
  }
}

/** Chooses a value for each part: first the first of each, then others for one part, then for two, and so on. */
function* combinations(choices: Choices): Generator<Parts> {
  const first = Object.fromEntries(Object.entries(choices).map(([part, [value]]) => [part, value])) as unknown as Parts;
  const others = Object.entries(choices).map(([part, values]) => [part, values.slice(1)] as const);
  const variable = others.filter(([, values]) => values.length > 0);
  for (let count = 0; count <= variable.length; count++) yield* withOthers(first, variable, count);
}

function* withOthers(
  chosen: Parts,
  variable: ReadonlyArray<readonly [part: string, values: readonly unknown[]]>,
  count: number,
): Generator<Parts> {
  if (count === 0) yield chosen;
  else {
    for (const [index, [part, values]] of variable.entries()) {
      const rest = variable.slice(index + 1);
      for (const value of values) yield* withOthers({ ...chosen, [part]: value }, rest, count - 1);
    }
  }
}

function choicesFor(expression: Expression, now: number): Choices {
  const all = [...within(expression)];
  const paths = new Set(all.map(attributePath));
  const literals = [...new Set(all.flatMap((each) => textLiteral(each) ?? []))].slice(0, MOST);
  const texts = [...literals, ...filledTemplates(literals).slice(0, MOST)];
  const numbers = all.flatMap((each) => integerLiteral(each) ?? []).map(Number);
  const methods = all.flatMap((each) => (each.op === "rcall" ? [each] : [])).slice(0, MOST);
  const calls = (names: readonly string[]) => methods.filter(({ args: [method] }) => names.includes(method));
  const valuesFor = (path: string, attribute: TextAttribute) =>
    paths.has(path) ? valuesOf(attribute, texts) : [attribute.other];
  const typesOfServices = paths.has("resource.service") ? literals.map((service) => `${service}/Other`) : [];
  const ports = numbers.flatMap((each) => [each, each + 1]).filter((each) => each > 0 && each < LARGEST_PORT);
  return {
    name: valuesFor("resource.name", NAME),
    type: valuesOf(TYPE, [...(paths.has("resource.type") ? texts : []), ...typesOfServices]),
    tags: listsOf(calls(TAG_METHODS).flatMap(tagOf)),
    time: timesOf(all, numbers, now),
    path: valuesFor("request.path", PATH),
    host: valuesFor("request.host", HOST),
    levels: listsOf(paths.has("request.auth.access_levels") ? literals : []),
    ip: valuesFor("destination.ip", ADDRESS),
    port: [LARGEST_PORT, ...(paths.has("destination.port") ? ports : [])],
    attributes: [new Map(), ...calls(["getAttribute"]).flatMap((call) => attributesOf(call, literals))],
    scheme: [undefined, ...(calls(SCHEME_METHODS).length > 0 ? [OTHER_SCHEME, ...literals] : [])],
  };
}

/** Values with each literal at their beginning, in their middle and at their end. */
function valuesOf({ other, form }: TextAttribute, texts: readonly string[]): string[] {
  const values = texts.flatMap((text) => [
    text,
    `${text}x`,
    `${other}/${text}`,
    `${other}${text}`,
    `x${text}`,
    `${other}/${text}x`,
  ]);
  return [other, ...new Set(values.filter((each) => form.test(each)))];
}

/** The templates of `extract`, such as `/zones/{zone}/`, with the other literals in their place. */
function filledTemplates(literals: readonly string[]): string[] {
  return literals
    .filter((each) => /\{\w*\}/.test(each))
    .flatMap((template) => literals.map((each) => template.replace(/\{\w*\}/, () => each)));
}

/** No element, each one alone, and all of them. */
function listsOf<T>(elements: readonly T[]): T[][] {
  return [[], ...elements.map((each) => [each]), ...(elements.length > 1 ? [[...elements]] : [])];
}

function tagOf({ args: [, , values] }: Call): Tag[] {
  const [key, value] = values.map(textLiteral);
  return key === undefined ? [] : [value === undefined ? { key } : { key, value }];
}

/** An attribute of an API has the default value of its call in each request that does not set it. */
function attributesOf({ args: [, , values] }: Call, literals: readonly string[]): Array<Map<string, unknown>> {
  const [name, standard] = values;
  const key = textLiteral(name);
  if (key === undefined) return [];
  const lists = standard?.op === "list" ? [[], [OTHER_ROLE], ...listsOf(literals)] : [];
  const texts =
    textLiteral(standard) === undefined ? [] : ["", "other", ...literals.flatMap((each) => [each, `${each}x`])];
  return [...lists, ...texts].map((value) => new Map([[key, value]]));
}

/** The methods of the request's time for parts that recur, with a step that shows each value, and the number of steps. */
const STEPS: Readonly<Record<string, readonly [step: number, count: number]>> = {
  getMilliseconds: [1, 1000],
  getSeconds: [1000, 60],
  getMinutes: [60_000, 60],
  getHours: [3_600_000, 24],
  getDayOfWeek: [24 * 3_600_000, 7],
  getDate: [24 * 3_600_000, 366],
  getDayOfMonth: [24 * 3_600_000, 366],
  getDayOfYear: [24 * 3_600_000, 366],
  getMonth: [24 * 3_600_000, 366],
};

function timesOf(all: readonly Expression[], numbers: readonly number[], now: number): number[] {
  const literals = all.flatMap((each) => timeLiteral(each) ?? []);
  const [moments = [], lengths = []] = [true, false].map((isTime) =>
    literals
      .filter((each) => each.isTime === isTime)
      .slice(0, MOST)
      .map(({ value }) => Number(value / 1_000_000n)),
  );
  const methods = new Set(all.flatMap((each) => (each.op === "rcall" ? [each.args[0]] : [])));
  const years = methods.has("getFullYear") ? numbers.flatMap((each) => [Date.UTC(each), Date.UTC(each + 1)]) : [];
  const ends = moments.flatMap((each) => [each, ...lengths.flatMap((length) => [each + length, each - length])]);
  const steps = [...methods].map((method) => STEPS[method] ?? [0, 0]);
  const recurring = steps.flatMap(([step, count]) => Array.from({ length: count }, (_, index) => now + step * index));
  // Working hours on working days need both: each hour of a week.
  const combined =
    methods.has("getHours") && steps.length > 1
      ? Array.from({ length: 168 }, (_, index) => now + index * 3_600_000)
      : [];
  const times = [
    ...[...ends, ...years].flatMap((each) => [each - 1, each, each + 1]),
    now + HORIZON,
    ...recurring,
    ...combined,
  ];
  return [...new Set([now, ...times])].filter((each) => each >= now && each <= now + HORIZON);
}
