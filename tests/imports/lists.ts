const KUMA_TAGS = [
  { name: "API", value: "" },
  { name: "team", value: "docs" },
];

/** Lists of each format: what it is, its text, what it is taken for, and what is found in it. */
export const LISTS: [what: string, text: string, format: string, found: string[]][] = [
  [
    "text with comments, and words around its URLs",
    "# mine\r\n\r\n* [Docs] (https://example.org/docs/(v2)/a)\r\n <https://example.org/a>; http://example.org/b.\nwww.example.org/c\nno link\n  # https://example.org/not",
    "text",
    [
      "3 https://example.org/docs/(v2)/a",
      "4 https://example.org/a",
      "4 http://example.org/b",
      "5 https://www.example.org/c",
      "6 no link",
    ],
  ],
  [
    "a Markdown document, whose headings are not comments",
    "# See [a](https://example.org/a)\r\n\r\n`https://code.example/` [b][] [c](c.md) [me](mailto:a@b.example)\r\n\r\n* [a](https://example.org/a)\r\n\r\n[b]: https://example.org/(b)\r\n",
    "markdown",
    ['1 https://example.org/a "a"', '3 https://example.org/(b) "b"'],
  ],
  [
    "a Markdown document with a fence alone",
    "# Title\n\n```\nhttps://code.example/\n```\nSee https://example.org/a.\n",
    "markdown",
    ["6 https://example.org/a"],
  ],
  [
    "our own export",
    'id,url,status,group,check_frequency\r\n1,https://example.org/a,active,"Docs, old",weekly\r\n2,https://example.org/b,dead,\'=Sum,\r\n',
    "csv",
    ["2 https://example.org/a in Docs, old weekly", "3 https://example.org/b in =Sum"],
  ],
  [
    "a sheet that tells its delimiter and has a line break in a cell",
    'sep=;\nName;Website;Frequency\n"One\nor two";https://example.org/a;Daily\n\nTwo;example.org/b;month\n',
    "csv",
    ['3 https://example.org/a daily "One or two"', '6 https://example.org/b monthly "Two"'],
  ],
  [
    "JSON texts and records",
    '[ {"note":"a ,]}\\"","url":"https://example.org/a"}, {"link":"https://example.org/b","group":{"name":"Docs"}}, 3, [1,2] ]\n',
    "json",
    ["1 https://example.org/a", "1 https://example.org/b in Docs", "1 3", "1 [1,2]"],
  ],
  [
    "a record per line",
    '{"url":"https://example.org/a","check_frequency":"hourly"}\n\n{"url":"https://example.org/b"}',
    "json",
    ["1 https://example.org/a hourly", "3 https://example.org/b"],
  ],
  [
    "a reply of the API",
    '{"data":{"items":[{"url":"https://example.org/a","check_frequency":"weekly"}]}}',
    "json",
    ["1 https://example.org/a weekly"],
  ],
  [
    "bookmarks in folders",
    `<!DOCTYPE NETSCAPE-Bookmark-file-1><TITLE>Bookmarks</TITLE><H1>Bookmarks</H1><DL><p>
  <DT><H3 ADD_DATE="1">Bar</H3><DL><p>
    <DT><A HREF="https://example.org/?a=1&amp;b=2" ICON="data:,">Top &lt;b&gt;</A>
    <DT><H3>Recipes &amp; Cakes</H3><DL><p>
      <DT><A HREF="https://example.org/cake">Cake</A>
      <DT><A HREF="javascript:alert(1)">Not this</A>
    </DL><p>
    <DT><A HREF="https://example.org/after">After</A>
  </DL><p>
  <DT><A HREF="https://example.org/out">Out</A></DL><script>"<a href='https://example.org/x'>"</script>`,
    "bookmarks",
    [
      '3 https://example.org/?a=1&b=2 in Bar "Top <b>"',
      '5 https://example.org/cake in Bar / Recipes & Cakes "Cake"',
      '8 https://example.org/after in Bar "After"',
      '10 https://example.org/out "Out"',
    ],
  ],
  [
    "a sitemap with pictures and a prefix",
    `<?xml version="1.0"?><!-- <urlset> --><s:urlset xmlns:s="x"><s:url><s:loc>
 https://example.org/?a=1&amp;b=2 </s:loc><image:loc>https://example.org/no.png</image:loc></s:url>
<s:url><s:loc><![CDATA[https://example.org/c?d&e]]></s:loc></s:url></s:urlset>`,
    "sitemap",
    ["1 https://example.org/?a=1&b=2", "3 https://example.org/c?d&e"],
  ],
  [
    "a backup of Uptime Kuma",
    JSON.stringify({
      version: "1.23.16",
      notificationList: [],
      monitorList: [
        { id: 1, type: "group", name: "Web", parent: null },
        { id: 2, type: "group", name: "Shop", parent: 1 },
        {
          id: 3,
          type: "http",
          url: "https://example.org/a",
          parent: 2,
          interval: 60,
          name: "A 👋",
        },
        { id: 4, type: "keyword", url: "https://example.org/b", interval: 86_400, active: false },
        {
          id: 5,
          type: "ping",
          url: "https://",
          hostname: "10.0.0.1",
          name: "Router",
          interval: 20,
        },
        { id: 6, type: "json-query", url: "https://example.org/c", tags: KUMA_TAGS },
      ],
    }),
    "uptime-kuma",
    [
      '3 https://example.org/a in Web / Shop hourly "A 👋"',
      "4 https://example.org/b daily",
      "5 10.0.0.1 A monitor of the type “ping” does not watch a page.",
      "6 https://example.org/c in API #API #team: docs",
    ],
  ],
  [
    "a table of UptimeRobot",
    'Type,Friendly Name,URL/IP,Interval,Tags\nHTTP(s),"Shop, old",https://example.org/a,300,"a, b"\nKeyword,B,https://example.org/b,86400,\nPing,Router,10.0.0.1,300,\n',
    "uptimerobot",
    [
      '1 https://example.org/a hourly "Shop, old" #a #b',
      '2 https://example.org/b daily "B"',
      "3 10.0.0.1 A monitor of the type “Ping” does not watch a page.",
    ],
  ],
  [
    "monitors as the API of UptimeRobot gives them",
    '{"stat":"ok","monitors":[{"id":1,"friendly_name":"A","url":"https://example.org/a","type":1,"interval":300,"tags":[{"id":7,"name":"shop"}]},{"id":2,"friendly_name":"Job","url":"","type":5}]}',
    "uptimerobot",
    [
      '1 https://example.org/a hourly "A" #shop',
      "2 Job A monitor of the type “heartbeat” does not watch a page.",
    ],
  ],
];
