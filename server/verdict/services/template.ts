/** What a kind's patterns found in an address, as it is written there, and what else templates may hold. */
export type Values = Record<string, string>;

const SLOT = /\{([a-z]\w*)(?:\|(\w+))?\}/g;

type Packing = (value: string) => string;

const decoded: Packing = (value) => {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
};

const PACKINGS: Record<string, Packing> = {
  raw: (value) => value,
  lower: (value) => encodeURIComponent(decoded(value).toLowerCase()),
  base64url: (value) => Buffer.from(decoded(value)).toString("base64url"),
};

const filled = (template: string, values: Values, usual: Packing, after: Packing = PACKINGS.raw!) =>
  template.replace(SLOT, (_, name: string, packing?: string) =>
    after((packing === undefined ? usual : PACKINGS[packing]!)(values[name] ?? "")),
  );

/** A template as a URL: its values are percent-encoded. */
export const toUrl = (template: string, values: Values) =>
  filled(template, values, (value) => encodeURIComponent(decoded(value)));

/** A template as text: its values are decoded, since they come from an address. */
export const toText = (template: string, values: Values) => filled(template, values, decoded);

/** A template as a regular expression: its values stand for themselves. */
export const toPattern = (template: string, values: Values) =>
  filled(template, values, PACKINGS.raw!, escaped);

/** A template as a regular expression that stands for no values yet. */
export const asPattern = (template: string) => template.replace(SLOT, "x");

const escaped: Packing = (value) => value.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");

/** The names that a template holds, and the packings it asks for. */
export const slotsOf = (template: string) =>
  [...template.matchAll(SLOT)].map(([, name, packing]) => ({ name: name!, packing }));

export const isPacking = (name: string) => Object.hasOwn(PACKINGS, name);
