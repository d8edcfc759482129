import { describe, expect, test } from "bun:test";
import { recognise } from "../../server/imports/formats.ts";
import { addresses, WRITTEN } from "./addresses.ts";
import { readIn } from "./reading.ts";

const A = "https://a.example/1";
const B = "https://b.example/2";
const NETSCAPE = "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n";

type Text = string | undefined;
type Found = [
  line: number,
  url: string,
  group: string,
  title: Text,
  note: Text,
  tags: string[] | undefined,
];

const foundIn = async (text: string): Promise<Found[]> =>
  (await readIn(text)).items.map(({ line, url, group, noted: { title, note, tags } = {} }) => [
    ...([line, url, group, title, note, tags] as const),
  ]);

/** Exports in the shape of each program: what is found of each bookmark. */
const EXPORTS: [program: string, text: string, found: Found[]][] = [
  [
    "Pocket",
    `title,url,time_added,tags,status\n"Commas, in ""it""",${A},1639793996,rust|web dev,unread\n${B},${B},1639793997,,archive\n`,
    [
      [2, A, "", 'Commas, in "it"', undefined, ["rust", "web dev"]],
      [3, B, "", undefined, undefined, undefined],
    ],
  ],
  [
    "Instapaper",
    `URL,Title,Selection,Folder,Timestamp,Tags\n${A},One,Marked words,Unread,1639793996,"[""a"",""b c""]"\n${B},Two,,Archive,1639793996,[]\n`,
    [
      [2, A, "Unread", "One", "Marked words", ["a", "b c"]],
      [3, B, "Archive", "Two", undefined, undefined],
    ],
  ],
  [
    "Pinboard, as JSON",
    JSON.stringify(
      [
        {
          href: A,
          description: "One",
          extended: "Long\nnote",
          meta: "x",
          toread: "yes",
          tags: "rust c++",
        },
        { href: B, description: "Two", extended: "", meta: "y", toread: "no", tags: "" },
      ],
      null,
      1,
    ),
    [
      [2, A, "", "One", "Long\nnote", ["rust", "c++"]],
      [10, B, "", "Two", undefined, undefined],
    ],
  ],
  [
    "Pinboard, as HTML",
    `${NETSCAPE}<TITLE>Pinboard Bookmarks</TITLE>\n<DL><p><DT><A HREF="${A}" TAGS="a b">One</A>\n</DL>`,
    [[3, A, "", "One", undefined, ["a", "b"]]],
  ],
  [
    "Karakeep",
    JSON.stringify({
      bookmarks: [
        {
          title: null,
          tags: ["x", "y z"],
          lists: ["l1"],
          content: { type: "link", url: A, title: "Site" },
          note: "n",
        },
        { title: "Two", tags: [], content: { type: "link", url: B }, note: null },
      ],
      lists: [{ id: "l1", name: "Reading" }],
    }),
    [
      [1, A, "Reading", "Site", "n", ["x", "y z"]],
      [1, B, "", "Two", undefined, undefined],
    ],
  ],
  [
    "Linkwarden",
    `{"name":"ann","description":"of ann","collections":[\n{"id":3,"name":"Coll","description":"of all","links":[\n{"name":"One","description":"d","url":"${A}","tags":[{"name":"t1"},{"name":"t two"}]},\n{"name":"","url":"${B}","tags":[]}]}]}`,
    [
      [3, A, "Coll", "One", "d", ["t1", "t two"]],
      [4, B, "Coll", undefined, undefined, undefined],
    ],
  ],
  [
    "linkding",
    `${NETSCAPE}<DL><p>\n<DT><A HREF="${A}" TAGS="linkding:bookmarks.archived,tools">One</A>\n<DD>Words [linkding-notes]Notes **here**\nsecond[/linkding-notes]\n<DT><A HREF="${B}">Two</A>\n</DL>`,
    [
      [3, A, "", "One", "Words \nNotes **here**\nsecond", ["tools"]],
      [6, B, "", "Two", undefined, undefined],
    ],
  ],
  [
    "Shaarli",
    `${NETSCAPE}<dl><p>\n<dt><a href="${A}" tags="opensource,software">One</a>\n<dd>Line one&#13;&#10;line &lt;b&gt; https://in.example/\n</dl>`,
    [[3, A, "", "One", "Line one\nline <b> https://in.example/", ["opensource", "software"]]],
  ],
  [
    "Firefox",
    `${NETSCAPE}<DL><p>\n<DT><H3>Bar</H3>\n<DL><p>\n<DT><A HREF="${A}" TAGS="rust,web dev">First &amp; foremost</A>\n<DD>Of the first\n<HR>\n<DT><H3>Sub</H3>\n<DD>Of the folder\n<DL><p>\n<DT><A HREF="${B}">   </A>\n</DL><p></DL></DL>`,
    [
      [5, A, "Bar", "First & foremost", "Of the first", ["rust", "web dev"]],
      [11, B, "Bar / Sub", undefined, undefined, undefined],
    ],
  ],
  [
    "OPML",
    `<?xml version="1.0"?>\n<opml version="2.0"><head><title>Mine</title></head><body><outline text="All">\n<outline title="Feed &amp; one" text="x" type="rss" xmlUrl="${A}" htmlUrl="${B}"/></outline></body></opml>`,
    [
      [3, B, "All", "Feed & one", undefined, undefined],
      [3, A, "All", "Feed & one", undefined, undefined],
    ],
  ],
  [
    "a page",
    `<html>\n<p><a href="${A}">One <b>page</b></a> <img src="https://i.example/i.png">`,
    [[2, A, "", "One page", undefined, undefined]],
  ],
];

describe("What people wrote of their links", () => {
  test.each(EXPORTS)("arrives from %s", async (_, text, found) => {
    expect(await foundIn(text)).toEqual(found);
  });
});

test.each(WRITTEN)(
  "Every address that the API takes is read whole from %s",
  async (_, format, write) => {
    const urls = addresses(2000);

    const text = write(urls);

    expect(urls.length).toBeGreaterThan(1000);
    expect(recognise(text)).toBe(format as never);
    expect((await readIn(text)).items.map(({ url }) => url)).toEqual(urls);
  },
);

test("Every address on a line of its own is read whole, or refused with the reason", async () => {
  const urls = addresses(2000);

  const { items } = await readIn(urls.join("\r\n"));

  expect(recognise(urls.join("\n"))).toBe("text");
  expect(items.map(({ url }) => url)).toEqual(urls);
  const refused = items.filter(({ problem }) => problem !== undefined);
  expect(refused.map(({ url }) => url)).toEqual(
    urls.filter((url) => /[<>]|(?:\.{3}|…)$/.test(url)),
  );
});

test("A list with one address a line is read whole, and running text without its full stops", async () => {
  const urls = [
    "https://en.wikipedia.org/wiki/Warner_Bros.",
    "https://en.wikipedia.org/wiki/Yahoo!",
    A,
  ];
  const prose =
    "See the manual at\nhttps://a.example/docs.\nThen read (https://b.example/x), please.";
  const read = async (text: string) =>
    (await readIn(text, { format: "text" })).items.map(({ url }) => url);

  expect(await read(urls.join("\n"))).toEqual(urls);
  expect(await read(`# mine\n${urls.join("\r\n")}\r\n`)).toEqual(urls);
  expect(await read(`${A},\n${B},\nhttps://c.example/`)).toEqual([A, B, "https://c.example/"]);
  expect(await read(prose)).toContain("https://a.example/docs");
});

test("Blanks in an address are encoded, and two addresses in a field are refused", async () => {
  const { items } = await readIn(
    `url,title\n"https://a.example/q?x=a b&c=d",A\n"${A} ${B}",B\nsee ${A},C\n`,
  );

  expect(items.map(({ url }) => url).slice(0, 1)).toEqual(["https://a.example/q?x=a%20b&c=d"]);
  expect(items[1]!.problem).toContain("more than one URL");
  expect(items[2]!.url).toBe(`see ${A}`);
});
