import { type Ask, type Page, toText, toUrl, type Values } from "./record.ts";

/** A request as it is sent. With a body it is a POST. */
export type Prepared = { url: string; headers: Record<string, string>; body?: string };

/** For places in texts that hold several values, unless the record says otherwise. */
const USUAL_JOIN = ",";

/** The request for one thing, or for several at once. */
export function prepare(ask: Ask, things: Values[], random: string): Prepared {
  const all = things.map((values) => ({ ...values, random }));
  const one = all.length === 1 ? all[0]! : joined(all, ask.batch?.join ?? USUAL_JOIN);
  const url = toUrl(ask.url, joined(all, USUAL_JOIN));
  const accept = { Accept: "application/json, */*;q=0.5" };
  const headers = { ...accept, ...fieldsFrom(ask.headers ?? {}, one) };
  if (ask.form) {
    const body = String(new URLSearchParams(fieldsOf(ask.form, all, one)));
    return {
      url,
      headers: { "Content-Type": "application/x-www-form-urlencoded", ...headers },
      body,
    };
  }
  if (ask.json === undefined) return { url, headers };
  const body = JSON.stringify(jsonOf(ask.json, all, one, ask.batch !== undefined));
  return { url, headers: { "Content-Type": "application/json", ...headers }, body };
}

/** Each value is that of all, joined, but for what they all share. */
function joined(all: Values[], join: string): Values {
  const together = (name: string) => {
    const values = all.map((each) => each[name] ?? "");
    return values.every((value) => value === values[0]) ? values[0]! : values.join(join);
  };
  return Object.fromEntries(Object.keys(all[0] ?? {}).map((name) => [name, together(name)]));
}

/** Header fields. What comes from an address may hold what no field can (RFC 9110 §5.5). */
const fieldsFrom = (fields: Record<string, string>, values: Values) =>
  Object.fromEntries(
    Object.entries(fields).map(([name, text]) => [
      name,
      toText(text, values).replace(/[^\t\x20-\x7e]/g, ""),
    ]),
  );

function fieldsOf(
  form: Record<string, string | string[]>,
  all: Values[],
  one: Values,
): [string, string][] {
  return Object.entries(form).flatMap(([name, texts]): [string, string][] =>
    Array.isArray(texts)
      ? texts.flatMap((text) => all.map((values): [string, string] => [name, toText(text, values)]))
      : [[name, toText(texts, one)]],
  );
}

/** A list of one element stands for one element for each thing that is asked about. */
function jsonOf(json: unknown, all: Values[], one: Values, isBatch: boolean): unknown {
  if (typeof json === "string") return toText(json, one);
  if (Array.isArray(json)) {
    const [element] = json;
    return isBatch && json.length === 1
      ? all.map((values) => jsonOf(element, [values], values, false))
      : json.map((each) => jsonOf(each, all, one, isBatch));
  }
  if (json === null || typeof json !== "object") return json;
  const entries = Object.entries(json).map(([key, value]) => [
    key,
    jsonOf(value, all, one, isBatch),
  ]);
  return Object.fromEntries(entries);
}

/** How the page of a link is asked for, where that differs from any other page. */
export const requestOf = ({ url, headers = {} }: Page, values: Values) => ({
  ...(url !== undefined && { url: toUrl(url, values) }),
  headers: fieldsFrom(headers, values),
});
