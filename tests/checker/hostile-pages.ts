/** A page of about so many characters. */
type Hostile = (chars: number) => string;

/** Much of a piece, between a beginning and an end. */
const much =
  (piece: string, start = "", end = ""): Hostile =>
  (chars) =>
    start + piece.repeat(Math.ceil((chars - start.length - end.length) / piece.length)) + end;

/** One piece after another, all of them different. */
const many =
  (pieceOf: (n: string) => string, start: (chars: number) => string = () => ""): Hostile =>
  (chars) => {
    const pieces = [start(chars)];
    for (let left = chars - pieces[0]!.length, n = 0; left > 0; n++) {
      const piece = pieceOf(n.toString(36));
      pieces.push(piece);
      left -= piece.length;
    }
    return pieces.join("");
  };

const RAW = ["script", "style", "title", "textarea", "noscript", "iframe", "xmp", "plaintext"];
const NESTED = ["div", "p", "h1", "a", "form", "table", "select", "svg", "math", "template", "b"];
/** Read as attributes, as text, as a title, as a heading, and as words in lines. */
const WORDS = [
  " ",
  "\n",
  "&",
  "&amp;",
  "&#1",
  "…",
  "\u0301",
  "404 ",
  "not found ",
  "Page not foun ",
  "sorry, ",
  "- ",
  "!",
];

/** Pages that are made to be slow to read. */
export const HOSTILE_PAGES: [what: string, page: Hostile][] = [
  ["elements and end tags of others", much("<div></b>")],
  ["nothing but end tags", much("</b>")],
  [
    "deep elements, then end tags of others",
    (chars) => much("</b>", "<i>".repeat(chars / 6))(chars),
  ],
  [
    "deep elements, then end tags of many names",
    many(
      (n) => `</x${n}>`,
      (chars) => "<i>".repeat(chars / 6),
    ),
  ],
  ["deep elements of many names", many((n) => `<x${n}>`)],
  ["elements of many names", many((n) => `<x${n}></x${n}>`)],
  ["an element around many, again and again", much(`<b>${"<i>".repeat(500)}</b>`)],
  ["attributes", much(" a", "<meta", ">")],
  ["attributes with values", much(' a="b"', "<meta", ">")],
  ["signs of equality", much("=", "<meta", ">")],
  ["one tag", much("x", "<", ">")],
  ["one tag that does not end", much("x ", "<a ")],
  ["one value that does not end", much("x>", '<a title="')],
  ["values that end in the next tag", much('<a href="')],
  ["values that swallow tags, and the last does not end", much('<a x="><a " ', "", " y='")],
  ["comments that do not end", much("<!--")],
  ["comments that nearly end", much("<!-- -- ->")],
  ["comments that end at once", much("<!-->")],
  ["comments that do not end, and tags", much("<!--a>")],
  ["sections of XML", much("<![CDATA[")],
  ["sections of XML in a picture", much("<svg><![CDATA[")],
  ["declarations that do not end", much("<!")],
  ["instructions that do not end", much("<?")],
  ["angle brackets", much("<")],
  ["beginnings of end tags", much("</")],
  ["signs that open nothing", much("< ")],
  ["scripts in comments in a script", much("<!--<script>", "<script>")],
  ["beginnings of end tags in a script", much("</script", "<script>")],
  ["beginnings of tags in a text", much("<a", "<textarea>")],
  ["names of thirty thousand letters", much(`<${"y".repeat(30_000)}>`)],
  ["zeros", much("\0")],
  ["addresses to go on to", much('<meta http-equiv=refresh content="0;url=/x">')],
  ["digits to wait before going on", much("1", '<meta http-equiv=refresh content="', '">')],
  ["declarations of letters", much("charset=", "<meta ")],
  ["descriptions", much('"@type" : [ ', '<script type="application/ld+json">')],
  ["states of apps", much("kit.start(a, b, {", "<script>")],
  ["a state with many brackets", much("[", "<script>__NUXT__={", "</script>")],
  ["states with strings", much('__NUXT__={"a', "<script>", "</script>")],
  ["scripts with states", much("<script>__remixContext = {</script>")],
  [
    "a stream of an app",
    much("\\", '<script>__reactRouterContext.streamController.enqueue("', '"</script>'),
  ],
  ["a list of an app", much("[0,", '<script id="__NUXT_DATA__">', "</script>")],
  ["links in headings", much('<a href="/">', "<h1>")],
  ["headings in a link", much("<h1>a</h1>", `<a href="${"/".repeat(300)}">`)],
  ...RAW.map((name): [string, Hostile] => [`${name} in ${name}`, much(`<${name}>`)]),
  ...NESTED.map((name): [string, Hostile] => [`${name} in ${name}`, much(`<${name}>a`)]),
  ...WORDS.flatMap((words): [string, Hostile][] => {
    const name = JSON.stringify(words);
    return [
      [`${name} in a title`, much(words, "<title>")],
      [`${name} in headings`, much(`<h1>${words}</h1>`)],
      [`${name} in its text`, much(words)],
      [`${name} in its lines`, much(`<p>${words.repeat(3)}</p>`)],
      [`${name} in an address`, much(words, '<meta http-equiv=refresh content="0;url=', '">')],
    ];
  }),
];
