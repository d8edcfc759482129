import { describe, expect, test } from "bun:test";
import { eachRow } from "../../../tests/each-row.ts";
import { addresses, WRITTEN } from "../../../tests/imports/addresses.ts";
import { readIn } from "../../../tests/imports/reading.ts";
import { recognise } from "./formats.ts";

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
    `${NETSCAPE}<TITLE>Pinboard Bookmarks</TITLE>\n<H1>Bookmarks</H1>\n<DL><p><DT><A HREF="${A}" ADD_DATE="1" PRIVATE="0" TOREAD="0" TAGS="c,c++">One</A>\n\n<DT><A HREF="${B}" TAGS="a b"></A>\n<DD>Long\n\n</DL></p>`,
    [
      [4, A, "", "One", undefined, ["c", "c++"]],
      [6, B, "", undefined, "Long", ["a", "b"]],
    ],
  ],
  [
    "Pinboard, as XML",
    `<?xml version="1.0" encoding="UTF-8"?>\n<posts user="ann">\n<post href="${A}?a=1&amp;b=2" time="2022-04-23T00:29:36Z" description="One &quot;1&quot;" extended="Long" tag="rust c++" hash="54"  shared="no"  />\n<post href="${B}" description="${B}" extended="" tag=""></post>\n</posts>`,
    [
      [3, `${A}?a=1&b=2`, "", 'One "1"', "Long", ["rust", "c++"]],
      [4, B, "", undefined, undefined, undefined],
    ],
  ],
  [
    "Pocket, as HTML",
    `<!DOCTYPE html>\n<html>\n<!--So long and thanks for all the fish-->\n<head><meta http-equiv="Content-Type" content="text/html; charset=UTF-8" /><title>Pocket Export</title></head><body><h1>Unread</h1><ul>\n<li><a href="${A}?a&amp;b" time_added="1684913346" tags="rust,web dev">One</a></li>\n<li><a href="${B}" time_added="1684913346" tags="">${B}</a></li></ul><h1>Read Archive</h1><ul></ul></body></html>`,
    [
      [5, `${A}?a&b`, "", "One", undefined, ["rust", "web dev"]],
      [6, B, "", undefined, undefined, undefined],
    ],
  ],
  [
    "Raindrop, as CSV",
    `id,title,note,excerpt,url,folder,tags,created,cover,highlights,favorite\n1,One,My own,Of the page,${A},Work / Docs,"rust, web dev",2022-01-01T00:00:00.000Z,,,false\n2,Two,,Same,${B},Unsorted,,2022-01-01T00:00:00.000Z,,,true\n`,
    [
      [2, A, "Work / Docs", "One", "Of the page\n\nMy own", ["rust", "web dev"]],
      [3, B, "Unsorted", "Two", "Same", undefined],
    ],
  ],
  [
    "Raindrop, as HTML",
    `${NETSCAPE}<TITLE>Raindrop.io Bookmarks</TITLE>\n<H1>Raindrop.io Bookmarks</H1>\n<DL><p>\n<DT><H3 ADD_DATE="0" LAST_MODIFIED="0">test</H3>\n<DL><p>\n<DT><A HREF="${A}" ADD_DATE="1" LAST_MODIFIED="1" TAGS="area,outputs" DATA-COVER="https://c.example/c.png">One</A>\n<DD>Of the page that you don&#39;t\n<DT><H3>Sub</H3>\n<DL><p>\n<DT><A HREF="${B}" TAGS="">Two</A>\n</DL><p>\n</DL><p>\n</DL><p>`,
    [
      [7, A, "test", "One", "Of the page that you don't", ["area", "outputs"]],
      [11, B, "test / Sub", "Two", undefined, undefined],
    ],
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
        { title: "Two", tags: [], lists: [], content: { type: "link", url: B }, note: null },
        { title: "A picture", tags: [], lists: [], content: null, note: null },
      ],
      lists: [
        { id: "l1", name: "Reading", type: "manual", parentId: "l2" },
        { id: "l2", name: "Work", type: "manual", parentId: null },
      ],
    }),
    [
      [1, A, "Work / Reading", "Site", "n", ["x", "y z"]],
      [1, B, "", "Two", undefined, undefined],
    ],
  ],
  [
    "Linkwarden",
    `{"name":"ann","description":"of ann","pinnedLinks":[{"url":"${A}"}],"collections":[{"id":2,"name":"Top","parentId":null,"links":[]},\n{"id":3,"parentId":2,"name":"Coll","description":"of all","links":[{"name":"A file","type":"pdf","url":null,"tags":[]},\n{"name":"One","description":"d","url":"${A}","tags":[{"name":"t1"},{"name":"t two"}]},\n{"name":"","url":"${B}","tags":[]}]}]}`,
    [
      [3, A, "Top / Coll", "One", "d", ["t1", "t two"]],
      [4, B, "Top / Coll", undefined, undefined, undefined],
    ],
  ],
  [
    "linkding",
    `${NETSCAPE}<DL><p>\n<DT><A HREF="${A}" ADD_DATE="1" PRIVATE="1" TOREAD="0" TAGS="tools,linkding:archived">One</A>\n<DD>Words [linkding-notes]Notes **here**\nsecond[/linkding-notes]\n<DT><A HREF="${B}">Two</A>\n</DL>`,
    [
      [3, A, "", "One", "Words \nNotes **here**\nsecond", ["tools"]],
      [6, B, "", "Two", undefined, undefined],
    ],
  ],
  [
    "linkding, as a reply of its API",
    JSON.stringify({
      count: 1,
      next: null,
      previous: null,
      results: [
        {
          id: 1,
          url: A,
          title: "One",
          description: "Words",
          notes: "Notes **here**",
          website_title: null,
          is_archived: false,
          tag_names: ["tools", "c++"],
        },
      ],
    }),
    [[1, A, "", "One", "Words\n\nNotes **here**", ["tools", "c++"]]],
  ],
  [
    "Shaarli",
    `${NETSCAPE}<dl><p>\n<dt><a href="${A}" ADD_DATE="1" PRIVATE="0" tags="opensource,software">One</a></DT>\n<dd>Line one&#13;&#10;line &lt;b&gt; https://in.example/</DD>\n</dl>`,
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
    "OPML of FreshRSS, NetNewsWire and Overcast",
    `<opml version="2.0"><body>\n<outline text="News" title="">\n<outline text="One" type="rss" version="RSS" description="Of it" xmlUrl="${A}" htmlUrl="" frss:priority="main"/>\n</outline><outline text="feeds"><outline type="rss" text="Cast" title="Cast" xmlUrl="${B}">\n<outline type="podcast-episode" title="Part 1" url="${B}/1" enclosureUrl="${B}.mp3"/></outline></outline></body></opml>`,
    [
      [3, A, "News", "One", "Of it", undefined],
      [4, B, "feeds", "Cast", undefined, undefined],
      [5, `${B}/1`, "feeds", "Part 1", undefined, undefined],
    ],
  ],
  [
    "a page",
    `<html>\n<p><a href="${A}">One <b>page</b></a> <img src="https://i.example/i.png">`,
    [[2, A, "", "One page", undefined, undefined]],
  ],
];

describe("What people wrote of their links", () => {
  eachRow(EXPORTS)("arrives from %s", async (_, text, found) => {
    expect(await foundIn(text)).toEqual(found);
  });
});

test("A description and a note that are too long together leave the note", async () => {
  const [long, own] = ["x".repeat(1500), "y".repeat(1500)];

  expect((await foundIn(`url,description,note\n${A},${long},${own}\n`))[0]![4]).toBe(own);
  expect((await foundIn(JSON.stringify([{ url: A, description: long, note: own }])))[0]![4]).toBe(
    own,
  );
  expect((await foundIn(JSON.stringify([{ url: A, description: long, note: "" }])))[0]![4]).toBe(
    long,
  );
});

eachRow(WRITTEN)(
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
