const WORDS =
  "the river runs slowly through an old town and every morning people cross its bridge on their way to work while boats carry stone timber and grain down to the harbour".split(
    " ",
  );

/** So many words of prose, in paragraphs. */
export function prose(words: number): string {
  const text = Array.from({ length: words }, (_, i) => WORDS[i % WORDS.length]);
  const paragraphs: string[] = [];
  while (text.length > 0) paragraphs.push(`<p>The ${text.splice(0, 60).join(" ")}.</p>`);
  return paragraphs.join("\n");
}

/** A page of some site, with its usual furniture around what it is about. */
export const page = (title: string, main: string, { head = "", header = "" } = {}) =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${title}</title>${head}</head>
  <body><header><nav><a href="/">Home</a> <a href="/news">News</a> <a href="/about">About</a></nav>${header}</header>
  <main>${main}</main><footer>© The Harbour Gazette</footer></body></html>`;

/** An article of so many words under its heading, on a site with a name. */
export const article = (heading: string, words = 600, around = {}) =>
  page(
    `${heading} | The Harbour Gazette`,
    `<article><h1>${heading}</h1>${prose(words)}</article>`,
    around,
  );

/** A page with hardly more than its title and heading. */
export const notice = (title: string, heading = title, text = "") =>
  `<!doctype html><html><head><title>${title}</title></head><body><h1>${heading}</h1><p>${text}</p></body></html>`;

export const PASSWORD = '<input name="user"><input type="password" name="pass"><button>Go</button>';
