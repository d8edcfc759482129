const WORDS =
  `river harbour bridge lantern window garden winter copper letter market violin orchard thunder compass
  ladder meadow captain silver feather kitchen journey shadow whisper tunnel blanket pepper castle mirror
  engine sailor candle forest ribbon saddle valley pillow hammer anchor basket button carpet dragon`.split(
    /\s+/,
  );

/** So many words, the same for the same topic and others for another. */
export function story(topic: number, words: number): string {
  let state = topic;
  const next = () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return WORDS[(state >> 12) % WORDS.length]!;
  };
  return Array.from({ length: words }, next).join(" ");
}

type Parts = { head?: string; main?: string; footer?: string };

/** A page of a site with a name, with its usual furniture around what it is about. */
export const page = (
  title: string,
  heading: string,
  { head = "", main = "", footer }: Parts = {},
) =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${title}</title>${head}
  <link rel="stylesheet" href="/style.css"></head><body>
  <header><nav><a href="/">Home</a> <a href="/news">News</a> <a href="/about">About us</a></nav></header>
  <main><h1>${heading}</h1>${main}</main><footer>${footer ?? "© The Harbour Gazette"}</footer></body></html>`;

export const paragraph = (topic: number, words: number) => `<p>${story(topic, words)}.</p>`;

/** An article that says of itself that it is one. */
export const article = (title: string, words = 600, head = "") =>
  page(`${title} | The Harbour Gazette`, title, {
    head,
    main: `<article>${paragraph(title.length, words)}</article>`,
  });

/** Nothing but an excuse, in the words of its title and its heading. */
export const excuse = (words: string, { title = words, head = "", main = "" } = {}) =>
  page(`${title} | The Harbour Gazette`, words, { head, main });

/** The frame of an app: its scripts make a page of it. */
export const shell = (name = "Board", root = '<div id="root"></div>') =>
  `<!doctype html><html><head><title>${name}</title><script type="module" src="/assets/main.js"></script></head>
  <body>${root}<noscript>You need to enable JavaScript.</noscript></body></html>`;

/** A text as the bytes of an old charset, found by reading all of these. */
export function encoded(text: string, charset: "windows-1251" | "shift_jis" | "gbk"): Uint8Array {
  const decoder = new TextDecoder(charset);
  const bytes = new Map<string, number[]>();
  for (let first = 0; first < 256; first += 1)
    bytes.set(decoder.decode(Uint8Array.of(first)), [first]);
  for (let first = 0x81; charset !== "windows-1251" && first < 0xff; first += 1) {
    for (let second = 0x40; second < 0xff; second += 1) {
      const pair = [first, second];
      const read = decoder.decode(Uint8Array.from(pair));
      if (read.length === 1 && !bytes.has(read)) bytes.set(read, pair);
    }
  }
  return Uint8Array.from([...text].flatMap((letter) => bytes.get(letter) ?? []));
}
