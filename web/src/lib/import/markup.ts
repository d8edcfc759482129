/**
 * A document of foreign markup, in which nothing runs and nothing is fetched. Styles go, since the content
 * policy would complain of them; and it is read as HTML, since the browser styles its errors about XML.
 */
export const documentOf = (markup: string): Document =>
  new DOMParser().parseFromString(
    markup
      .replace(/<!\[CDATA\[(.*?)\]\]>/gs, (_, text: string) => escaped(text))
      .replace(/\sstyle\s*=/gi, " data-style=")
      .replace(/<(\/?)style\b/gi, "<$1template"),
    "text/html",
  );

const escaped = (text: string) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
