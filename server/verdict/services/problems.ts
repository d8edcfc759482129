import { type Catalogue, targetOf } from "./catalogue.ts";
import {
  type Ask,
  asksOf,
  isPacking,
  type Kind,
  type Rule,
  type Service,
  slotsOf,
  type When,
} from "./record.ts";

/** Known to every template. */
const ALWAYS = ["url", "host", "random"];

/**
 * One sentence for each thing in the records that cannot work, naming the record and the field. For what
 * the program has not seen before: its own records have a test.
 */
export function problemsOf(catalogue: Catalogue): string[] {
  try {
    catalogue.index();
  } catch (error) {
    return [(error as Error).message];
  }
  return [...catalogue.services.flatMap(inRecord), ...strayCanaries(catalogue)];
}

/** Known-good links that their own service has no word for would prove nothing. */
const strayCanaries = (catalogue: Catalogue): string[] =>
  catalogue.services.flatMap(({ id, canary = [] }) =>
    canary.flatMap((url, i) =>
      targetOf(catalogue, new URL(url))?.service.id === id
        ? []
        : [`Service "${id}", canary[${i}]: is no address of its kinds.`],
    ),
  );

function inRecord({ id, hosts, path, kinds = [] }: Service): string[] {
  const say = (field: string, problem: string) => `Service "${id}", ${field}: ${problem}`;
  const owning = hosts.length === 0 && !path ? [say("hosts", "names no host.")] : [];
  return [
    ...owning,
    ...kinds.flatMap((kind, i) =>
      inKind(kind).map(([field, problem]) => say(`kinds[${i}]${field}`, problem)),
    ),
  ];
}

type Problem = [field: string, problem: string];

function inKind(kind: Kind): Problem[] {
  const known = [...ALWAYS, ...groupsOf(kind)];
  const asks = asksOf(kind);
  return [
    ...asks.flatMap((ask, i) =>
      inAsk(ask, [...known, ...takenBefore(asks, i)]).map(
        (problem): Problem => [`.ask[${i}]`, problem],
      ),
    ),
    ...inPage(kind, known).map((problem): Problem => [".page", problem]),
  ];
}

const takenBefore = (asks: Ask[], index: number) =>
  asks.slice(0, index).flatMap(({ take = {} }) => Object.keys(take));

function inAsk(ask: Ask, known: string[]): string[] {
  const templates = templatesIn(ask);
  const unknown = templates.flatMap((template) => unknownIn(template, known));
  if (ask.batch && /^https?:\/\/[^/?#]*\{/.test(ask.url)) {
    unknown.push("what is asked for many links at once must have one host.");
  }
  if (ask.keepMinutes === undefined) return unknown;
  const names = templates.flatMap(slotsOf).map(({ name }) => name);
  return names.every((name) => name === "random")
    ? unknown
    : [...unknown, "what is kept for every link must not be asked about one."];
}

function inPage({ page = {}, ask }: Kind, known: string[]): string[] {
  if (page === "never") return ask ? [] : ["is never read, and nothing else is asked."];
  const { url = "", headers = {}, rules = [] } = page;
  const templates = [url, ...Object.values(headers), ...rules.flatMap(templatesOfRule)];
  return templates.flatMap((template) => unknownIn(template, known));
}

const groupsOf = ({ host, path, query, fragment }: Kind) =>
  [host, path, query, fragment].flatMap((pattern) =>
    [...(pattern ?? "").matchAll(/\(\?<(\w+)>/g)].map(([, name]) => name!),
  );

function templatesIn({ url, headers = {}, form = {}, json, rules = [] }: Ask): string[] {
  return [
    url,
    ...Object.values(headers),
    ...Object.values(form).flat(),
    ...(json === undefined ? [] : [JSON.stringify(json)]),
    ...rules.flatMap(templatesOfRule),
  ];
}

const templatesOfRule = ({ unless, ...rule }: Rule): string[] => [
  ...templatesOfWhen(rule),
  ...(unless ? templatesOfWhen(unless) : []),
];

const templatesOfWhen = ({ url, text = [] }: When): string[] =>
  [...(url ? [url] : []), text].flat();

const unknownIn = (template: string, known: string[]): string[] =>
  slotsOf(template).flatMap(({ name, packing }) => {
    if (!known.includes(name)) return [`{${name}} is no named group of its patterns.`];
    return packing === undefined || isPacking(packing)
      ? []
      : [`{${name}|${packing}} is no known packing.`];
  });
