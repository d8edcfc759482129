import { isIP } from "node:net";

/**
 * One environment variable, `name` being without its prefix: what it takes, in words, and how its
 * text becomes a value.
 */
export type Setting<T> = {
  name: string;
  fallback: T;
  takes: string;
  /** Throws when the text makes no sense. */
  parse: (text: string) => T;
  /** Its value is never printed. */
  secret?: true;
  /** Empty is a value of its own. So it is for every setting whose fallback is an array. */
  isList?: true;
  /** It is printed as the text it was given as, or as this. */
  shownAs?: string;
};

/** Why a setting makes no sense, where that takes more than a few words. */
export class SettingProblem extends Error {}

export function setting<T>(
  name: string,
  fallback: T,
  takes: string,
  parse: (text: string) => T,
): Setting<T>;
export function setting<T>(
  name: string,
  fallback: null,
  takes: string,
  parse: (text: string) => T,
): Setting<T | null>;
export function setting<T>(
  name: string,
  fallback: T,
  takes: string,
  parse: (text: string) => T,
): Setting<T> {
  return { name, fallback, takes, parse };
}

/** The same, but its text appears nowhere. */
export function secret<T>(each: Setting<T>): Setting<T> {
  return { ...each, secret: true };
}

export function wholeNumber(name: string, fallback: number, least: number, most: number) {
  return setting(name, fallback, `a whole number from ${least} to ${most}`, (text) => {
    const value = count(text);
    if (value < least || value > most) throw new RangeError(text);
    return value;
  });
}

export function choice<const T extends string>(
  name: string,
  fallback: T,
  values: readonly T[],
): Setting<T> {
  const parse = (text: string) => {
    const value = values.find((one) => one === text);
    if (value === undefined) throw new RangeError(text);
    return value;
  };
  return { name, fallback, takes: `one of ${values.join(", ")}`, parse };
}

/** Items between commas; an empty text is an empty list. */
export function listOf<T>(parse: (text: string) => T) {
  return (text: string) =>
    text.trim() === "" ? [] : text.split(",").map((item) => parse(item.trim()));
}

export function matching(pattern: RegExp) {
  return (text: string) => {
    if (!pattern.test(text)) throw new RangeError(text);
    return text;
  };
}

export function nonEmpty(text: string): string {
  return matching(/\S/)(text);
}

/** A whole number of digits only. */
export function count(text: string): number {
  return Number(matching(/^[0-9]{1,12}$/)(text));
}

export function truth(text: string): boolean {
  return matching(/^(true|false)$/)(text) === "true";
}

/** Without the slash at its end, so that a path can follow. */
export function httpUrl(text: string): string {
  const url = new URL(matching(/^https?:\/\//)(text));
  return url.href.replace(/\/$/, "");
}

/** `https://example.org`, just as a browser sends it. */
export function origin(text: string): string {
  const url = new URL(text);
  if (url.origin !== text) throw new RangeError(text);
  return text;
}

/** An IP address, or a range of them such as 10.0.0.0/8. */
export function ipRange(text: string): string {
  const [address = "", bits, ...rest] = text.split("/");
  const longest = isIP(address) === 6 ? 128 : 32;
  if (!isIP(address) || rest.length > 0) throw new RangeError(text);
  if (bits !== undefined && count(bits) > longest) throw new RangeError(text);
  return text;
}

/** Reads JSON of the same shape, in which anything may be left out. */
export function overrides<T extends Record<string, object>>(defaults: T) {
  return (text: string): T => {
    const given = JSON.parse(text) as Record<string, Record<string, unknown>>;
    const merged = structuredClone(defaults);
    for (const [tier, limits] of Object.entries(given)) {
      for (const [name, value] of Object.entries(limits)) override(merged[tier], name, value);
    }
    return merged;
  };
}

function override(target: object | undefined, name: string, value: unknown) {
  const known = target && Object.entries(target).find(([key]) => key === name);
  if (!target || !known || typeof known[1] !== typeof value) throw new RangeError(name);
  if (typeof value === "number" && !(Number.isSafeInteger(value) && value >= 0)) {
    throw new RangeError(name);
  }
  Object.assign(target, { [name]: value });
}
