/** Markup that goes into a page as it is. Only `html` and `markdown` make it. */
export type Html = { readonly markup: string };

type Value = string | number | Html | Value[] | false | null | undefined;

/** A template that escapes what is put into it, except other markup. Lists are joined, nothing is nothing. */
export const html = (strings: TemplateStringsArray, ...values: Value[]): Html => ({
  markup: strings.reduce((text, string, i) => text + written(values[i - 1]) + string),
});

/** Our own Markdown, never a stranger's: raw HTML in it would stay raw. */
export const markdown = (text: string): Html => ({
  markup: Bun.markdown.html(text, { headings: { ids: true } }),
});

function written(value: Value): string {
  if (value === undefined || value === null || value === false) return "";
  if (Array.isArray(value)) return value.map(written).join("");
  return typeof value === "object" ? value.markup : Bun.escapeHTML(value);
}
