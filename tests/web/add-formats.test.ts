import { expect, test } from "bun:test";
import { operatorOf } from "../../server/accounts/users.ts";
import { createGroup, listGroups } from "../../server/links/groups/groups.ts";
import { listLinks } from "../../server/links/list.ts";
import { onDashboard } from "../browser.ts";
import { addButton, giveFile, openAdd, sheet, skippedOn, urlsField } from "./adding.ts";

const BOM = "\ufeff";

const BOOKMARKS = `<!DOCTYPE NETSCAPE-Bookmark-file-1>
<META HTTP-EQUIV="Content-Type" CONTENT="text/html; charset=UTF-8">
<style>@import "//example.com"</style>
<TITLE>Bookmarks</TITLE>
<H1>Bookmarks</H1>
<DL><p>
    <DT><H3 PERSONAL_TOOLBAR_FOLDER="true">Bar</H3>
    <DL><p>
        <DT><A HREF="https://example.org/?a=1&amp;b=2" ICON="data:image/png;base64,AAAA">Top &lt;b&gt;</A>
        <DT><H3>Recipes &amp; Cakes</H3>
        <DL><p>
            <DT><A HREF="https://example.org/cake" style="color:red" onclick="alert(1)">Cake</A>
            <DT><A HREF="javascript:alert(1)">Bookmarklet</A>
        </DL><p>
        <DT><A HREF="https://example.org/after">After</A>
    </DL><p>
</DL><p><img src="https://example.com/x.png" onerror="alert(1)"><script>alert(1)</script>
`;

const SITEMAP = `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" xmlns:image="http://www.google.com/schemas/sitemap-image/1.1">
  <url><loc> https://example.org/?a=1&amp;b=2 </loc><lastmod>2029-01-01</lastmod>
    <image:image><image:loc>https://example.org/picture.png</image:loc></image:image></url>
  <url style="color:red"><image:image style="x"/><loc><![CDATA[https://example.org/c]]></loc></url>
</urlset>`;

const INDEX = `<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
  <sitemap><loc>https://example.org/sitemap-1.xml</loc></sitemap>
  <sitemap><loc>javascript:alert(1)</loc></sitemap>
</sitemapindex>`;

/** By name: the content, its format, and the URLs, each with its group and frequency. */
const FILES: [name: string, content: string, format: string, found: string[]][] = [
  [
    "text in which words stand around the URLs",
    "* Docs (https://example.org/docs)\r\n<https://example.org/a>; http://example.org/b.\r\n",
    "text",
    ["https://example.org/docs", "https://example.org/a", "http://example.org/b"],
  ],
  [
    "a Markdown document",
    "# [Docs](https://example.org/docs)\r\n\r\n`https://example.org/code` and [a]\r\n\r\n[a]: https://example.org/a\r\n",
    "markdown",
    ["https://example.org/docs", "https://example.org/a"],
  ],
  [
    "our own export, with a mark of its encoding",
    `${BOM}id,url,status,reason,group,check_frequency\r\n1,https://example.org/a,active,,"Docs, old",weekly\r\n2,https://example.org/b,dead,"It said ""no"".",'=Sum,\r\n`,
    "csv",
    ["https://example.org/a Docs, old weekly", "https://example.org/b =Sum"],
  ],
  [
    "a sheet with semicolons and headings of its own",
    "Name;Website;Frequency\nOne;https://example.org/a;Daily\nTwo;example.org/b;month\n",
    "csv",
    ["https://example.org/a daily", "https://example.org/b monthly"],
  ],
  [
    "cells pasted from a sheet without headings",
    "One\thttps://example.org/a\nTwo\thttps://example.org/b\n",
    "csv",
    ["https://example.org/a", "https://example.org/b"],
  ],
  [
    "a JSON list of texts",
    '["https://example.org/a", "https://example.org/b,c"]',
    "json",
    ["https://example.org/a", "https://example.org/b,c"],
  ],
  [
    "a JSON list of records",
    '[{"link":"https://example.org/a","group":{"name":"Docs"}},{"URL":"https://example.org/b","Check frequency":"hourly"}]',
    "json",
    ["https://example.org/a Docs", "https://example.org/b hourly"],
  ],
  [
    "a reply of the API",
    '{"data":{"items":[{"id":"1","url":"https://example.org/a","group_id":null,"check_frequency":"weekly"}],"pagination":{}}}',
    "json",
    ["https://example.org/a weekly"],
  ],
  [
    "a JSON record per line",
    '{"url":"https://example.org/a"}\n{"url":"https://example.org/b"}\n',
    "json",
    ["https://example.org/a", "https://example.org/b"],
  ],
  [
    "bookmarks in folders",
    BOOKMARKS,
    "bookmarks",
    [
      "https://example.org/?a=1&b=2 Bar",
      "https://example.org/cake Bar / Recipes & Cakes",
      "https://example.org/after Bar",
    ],
  ],
  [
    "a backup of Uptime Kuma",
    '{"version":"1.23.16","monitorList":[{"id":1,"type":"http","url":"https://example.org/a","interval":60,"tags":[{"name":"Shop"}]}]}',
    "uptime-kuma",
    ["https://example.org/a Shop hourly"],
  ],
  [
    "a table of UptimeRobot",
    "Type,Friendly Name,URL/IP,Interval\nHTTP(s),Shop,https://example.org/a,300\nKeyword,B,https://example.org/b,86400\n",
    "uptimerobot",
    ["https://example.org/a hourly", "https://example.org/b daily"],
  ],
  ["a sitemap", SITEMAP, "sitemap", ["https://example.org/?a=1&b=2", "https://example.org/c"]],
];

const FIRST_PAGE = { page: 1, per_page: 100 };

onDashboard("The sheet that adds links reads", (dashboard) => {
  async function open() {
    const visitor = await dashboard().user();
    await openAdd(visitor.page);
    return visitor;
  }

  /** What was added, oldest first: each URL with its group, and its frequency unless that is the usual one. */
  async function addedTo(accountId: string) {
    const { deps } = dashboard().server;
    const caller = await operatorOf(deps, accountId);
    const { items } = await listLinks(deps, caller, FIRST_PAGE as never);
    const groups = await listGroups(deps, caller, FIRST_PAGE);
    const nameOf = new Map(groups.items.map(({ id, name }) => [id, name]));
    return items
      .map(({ url, groupId, checkFrequency }) =>
        [url, groupId && nameOf.get(groupId), checkFrequency !== "daily" && checkFrequency]
          .filter(Boolean)
          .join(" "),
      )
      .toReversed();
  }

  test("files of each format", async () => {
    const { page, accountId } = await open();

    for (const [name, content, format, found] of FILES) {
      await giveFile(page, "file", content);
      await addButton(page).waitFor();
      const read = await sheet(page).getByLabel("Read as").inputValue();
      const named = sheet(page).getByRole("checkbox", { name: "Use the groups" });
      if (format === "bookmarks") await named.check();
      await addButton(page).click();
      await page.getByRole("heading", { name: /links? added$/ }).waitFor();
      await sheet(page)
        .getByRole("link", { name: /^Show the/ })
        .waitFor();

      expect([name, read, await addedTo(accountId)]).toEqual([
        name,
        format,
        found.map((line) => line.replace(/ daily$/, "")),
      ]);
      await sheet(page).getByRole("button", { name: "Undo" }).click();
      await sheet(page).getByRole("button", { name: "Remove" }).click();
    }
  });

  test("a long list of each format whole, over every part in which it is read", async () => {
    const { page } = await open();
    const urls = Array.from(
      { length: 4500 },
      (_, n) => `https://example.org/${"x".repeat(60)}/${n}`,
    );
    const rows = urls.map((url) => `"A [{ \\"" line",${url}`);
    const files = {
      text: urls.join("\n"),
      csv: ["name,url", ...rows].join("\n"),
      json: JSON.stringify(urls.map((url) => ({ note: 'a "]}" \\', url }))),
      bookmarks: `<dl>${urls.map((url) => `<dt><a href="${url}">x</a>`).join("\n")}</dl>`,
      sitemap: `<urlset>${urls.map((url) => `<url><loc>${url}</loc></url>`).join("\n")}</urlset>`,
    };

    for (const [format, content] of Object.entries(files)) {
      await giveFile(page, format, content);
      await sheet(page).getByText(format, { exact: true }).waitFor();
      await addButton(page, "Add 4,500 links").waitFor();
      expect(await sheet(page).getByLabel("Read as").inputValue()).toBe(format);
      await sheet(page).getByRole("button", { name: "Remove" }).click();
    }
  });

  test("an index of sitemaps, which it says are to be given one by one", async () => {
    const { page } = await open();

    await giveFile(page, "index.xml", INDEX);

    await page.getByText("This is an index of 2 sitemaps").waitFor();
    await page.getByRole("link", { name: "https://example.org/sitemap-1.xml" }).waitFor();
    expect(await page.getByRole("link", { name: "javascript" }).count()).toBe(0);
  });

  test("monitors of another program, and says of those that watch no page why they are left out", async () => {
    const { page } = await open();

    await giveFile(page, "monitors.csv", "Type,Friendly Name,URL/IP\nPing,Router,10.0.0.1\n");

    await page.getByText("A monitor of the type “Ping” does not watch a page.").waitFor();
    expect(await addButton(page, "Add 0 links").isDisabled()).toBe(true);
  });

  test("a list as something else when its reader knows better", async () => {
    const { page, accountId } = await open();
    await giveFile(page, "urls.txt", "https://example.org/1,2\nhttps://example.org/3,4\n");
    await addButton(page, "Add 2 links").waitFor();

    await sheet(page).getByLabel("Read as").selectOption("Plain text");
    await addButton(page, "Add 2 links").click();
    await page.getByRole("heading", { name: "2 links added" }).waitFor();

    expect(await addedTo(accountId)).toEqual([
      "https://example.org/1,2",
      "https://example.org/3,4",
    ]);
  });

  test("the groups that a table names, and makes those that are not there", async () => {
    const { page, accountId } = await open();
    const { deps } = dashboard().server;
    const caller = await operatorOf(deps, accountId);
    await createGroup(deps, caller, { name: "Docs", color: "#6B7280" });
    await openAdd(page);

    await giveFile(
      page,
      "t.csv",
      "url,group\nhttps://example.org/a,docs\nhttps://example.org/b,Blog\n",
    );
    await page.getByText("Existing groups: docs.").waitFor();
    await page.getByText("Will be created: Blog.").waitFor();
    await addButton(page, "Add 2 links").click();
    await page.getByRole("heading", { name: "2 links added" }).waitFor();

    const { items } = await listGroups(deps, caller, { page: 1, per_page: 100 });
    expect(items.map(({ name, counts }) => [name, counts.unknown]).toSorted()).toEqual([
      ["Blog", 1],
      ["Docs", 1],
    ]);
  });

  test("a file that is dropped anywhere", async () => {
    const { page } = await dashboard().user();
    await page.goto("/links");
    await page.getByText("No links yet").waitFor();
    const transfer = await page.evaluateHandle(() => {
      const files = new DataTransfer();
      files.items.add(new File(["https://example.org/dropped"], "dropped.txt"));
      return files;
    });

    await page.dispatchEvent("main", "dragover", { dataTransfer: transfer });
    await page.getByText("Drop the file to read its links").waitFor();
    await page.dispatchEvent("main", "drop", { dataTransfer: transfer });

    await addButton(page, "Add 1 link").waitFor();
    await sheet(page).getByText("dropped.txt").waitFor();
  });

  test("UTF-16 and other letters than UTF-8, and says so", async () => {
    const { page, accountId } = await open();

    const text = Buffer.from(`${BOM}url\thttps://example.org/ä\n`, "utf16le");
    await giveFile(page, "utf-16.txt", text);
    await page.getByText("The file is in UTF-16.").waitFor();
    await sheet(page).getByRole("button", { name: "Remove" }).click();
    await giveFile(page, "latin.txt", Buffer.from("https://example.org/\xe4\n", "latin1"));
    await page.getByText("The file is not in UTF-8. It was read as Windows-1252.").waitFor();
    await addButton(page, "Add 1 link").click();
    await page.getByRole("heading", { name: "1 link added" }).waitFor();

    expect(await addedTo(accountId)).toEqual(["https://example.org/%C3%A4"]);
  });

  test("a table, and names the columns that it does not use", async () => {
    const { page } = await open();

    await urlsField(page).fill("url,score,owner\nhttps://example.org/a,1,me\n");

    await sheet(page).getByText("Columns not used: score, owner.").waitFor();
  });

  test("what is known of links, and lists what is not kept before and after they are added", async () => {
    const { page, accountId } = await open();
    const heads = "url,title,tags,external_id,handling,owner";
    const rows = [
      `https://example.org/a,Handbook,docs;press,p-1,open,me`,
      `https://example.org/b,${"x".repeat(201)},docs,p-2,muted,me`,
      `https://example.org/c,Twice,,p-1,,`,
    ];

    await giveFile(page, "links.csv", [heads, ...rows].join("\n"));
    await addButton(page, "Add 2 links").waitFor();
    const notKept = async () => {
      await sheet(page).getByText("Column not used: owner.").waitFor();
      await sheet(page).getByText("Not everything of 1 line is kept").click();
      const list = sheet(page).getByRole("list", { name: "Not kept" });
      return list.getByRole("listitem").allTextContents();
    };
    const expected = [
      "line 3https://example.org/bNot kept: handling is only taken by stillup import --with-state, title must be at most 200 characters.",
    ];

    expect(await notKept()).toEqual(expected);
    expect(await skippedOn(page)).toEqual([
      "line 4https://example.org/cAnother link has this external_id.",
    ]);
    await addButton(page).click();
    await page.getByRole("heading", { name: "2 links added" }).waitFor();
    expect(await notKept()).toEqual(expected);
    const { deps } = dashboard().server;
    const { items } = await listLinks(deps, await operatorOf(deps, accountId), FIRST_PAGE as never);
    expect(
      items.map(({ extras: { title, tags, externalId } }) => [title, tags, externalId]),
    ).toEqual([
      [null, ["docs"], "p-2"],
      ["Handbook", ["docs", "press"], "p-1"],
    ]);
  });

  test("no URL that was cut off, and shows it", async () => {
    const { page } = await open();

    await urlsField(page).fill("https://example.org/a\nhttps://example.org/a-long-w…\n");
    await addButton(page, /^Add 1 link/).waitFor();

    expect(await skippedOn(page)).toEqual([
      "line 2https://example.org/a-long-w…The URL is cut off. Enter the whole URL.",
    ]);
  });

  test.each([
    ["an archive", Buffer.from("PK\x03\x04…"), "is a ZIP archive or a spreadsheet."],
    ["a program", Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 1, 2]), "is not a text file."],
    ["a PDF", Buffer.from("%PDF-1.7\n"), "is a PDF."],
  ])("nothing from %s, and says what to do", async (_, content, said) => {
    const { page } = await open();
    await urlsField(page).fill("https://example.org/typed");

    await giveFile(page, "file.bin", content);

    await page.getByText(`“file.bin” ${said}`).waitFor();
    expect(await urlsField(page).inputValue()).toBe("https://example.org/typed");
  });

  test("nothing from broken JSON, and of a sitemap that was cut off what is there, and says so", async () => {
    const { page, accountId } = await open();

    await giveFile(page, "broken.json", '["https://example.org/a", ');
    await page.getByText("This could not be read as JSON").waitFor();
    await sheet(page).getByRole("button", { name: "Remove" }).click();
    await giveFile(page, "cut.xml", SITEMAP.slice(0, SITEMAP.indexOf("<lastmod")));
    await page.getByText("The sitemap has no end.").waitFor();
    await addButton(page, "Add 1 link").click();
    await page.getByRole("heading", { name: "1 link added" }).waitFor();

    expect(await addedTo(accountId)).toEqual(["https://example.org/?a=1&b=2"]);
  });

  test("a line of ten million letters, and one without any URL, as lines that are skipped", async () => {
    const { page } = await open();

    await giveFile(page, "long.txt", `https://example.org/${"x".repeat(10_000_000)}\nhello\n`);

    await page.getByText("The URL must be at most 2048 characters.").waitFor();
    await page.getByText("The URL must be an http or https URL.").waitFor();
    expect(await addButton(page, "Add 0 links").isDisabled()).toBe(true);
  });

  test("an empty file, and says that no link is in it", async () => {
    const { page } = await open();

    await giveFile(page, "empty.txt", "\r\n \r\n");

    await page.getByText("No links found.").waitFor();
  });
});
