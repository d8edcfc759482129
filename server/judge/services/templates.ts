/** Values of the kind's patterns as they are written in the address, and others that templates may contain. */
export type Values = Record<string, string>;

const SLOT = /\{([a-z]\w*)(?:\|(\w+))?\}/g;

type Encoding = (value: string) => string;

const decoded: Encoding = (value) => {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
};

const ENCODINGS: Record<string, Encoding> = {
  raw: (value) => value,
  lower: (value) => encodeURIComponent(decoded(value).toLowerCase()),
  base64url: (value) => Buffer.from(decoded(value)).toString("base64url"),
};

const filled = (
  template: string,
  values: Values,
  usual: Encoding,
  after: Encoding = ENCODINGS.raw!,
) =>
  template.replace(SLOT, (_, name: string, encoding?: string) =>
    after((encoding === undefined ? usual : ENCODINGS[encoding]!)(values[name] ?? "")),
  );

/** Fills a template of a URL: its values are percent-encoded. */
export const toUrl = (template: string, values: Values) =>
  filled(template, values, (value) => encodeURIComponent(decoded(value)));

/** Fills a template of text: its values are decoded, since they come from an address. */
export const toText = (template: string, values: Values) => filled(template, values, decoded);

/** Fills a template of a regular expression: its values are escaped. */
export const toPattern = (template: string, values: Values) =>
  filled(template, values, ENCODINGS.raw!, escaped);

/** Fills a template of a regular expression with a placeholder. */
export const toSamplePattern = (template: string) => template.replace(SLOT, "x");

const escaped: Encoding = (value) => value.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");

/** Returns the names in a template, and their encodings. */
export const slotsOf = (template: string) =>
  [...template.matchAll(SLOT)].map(([, name, encoding]) => ({ name: name!, encoding }));

export const isEncoding = (name: string) => Object.hasOwn(ENCODINGS, name);
