import { expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { operatorOf } from "../../server/accounts/users.ts";
import { createGroup, listGroups } from "../../server/links/groups/groups.ts";
import { onDashboard } from "../browser.ts";

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
    "* [Docs](https://example.org/docs)\r\n<https://example.org/a>; http://example.org/b.\r\n",
    "text",
    ["https://example.org/docs", "https://example.org/a", "http://example.org/b"],
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

onDashboard("The page that adds links reads", (dashboard) => {
  async function openPage() {
    const visitor = await dashboard().user();
    await visitor.page.goto("/links/new");
    return visitor;
  }

  test("files of each format", async () => {
    const { page } = await openPage();

    for (const [name, content, format, found] of FILES) {
      await give(page, "file", content);
      await page.getByRole("button", { name: /^Add \d+ links?$/ }).waitFor();

      const read = [await page.getByLabel("Read as").inputValue(), await linesOn(page)];
      expect([name, ...read]).toEqual([name, format, found]);
      await page.getByRole("button", { name: "Start over" }).click();
    }
  });

  test("a long list of each format whole, over every part in which it is read", async () => {
    const { page } = await openPage();
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
      await give(page, format, content);
      await page.getByText(format, { exact: true }).waitFor();
      await page.getByText("1–100 of 4,500 lines").waitFor();
      expect(await page.getByLabel("Read as").inputValue()).toBe(format);
      await page.getByRole("button", { name: "Start over" }).click();
    }
  });

  test("an index of sitemaps, which it says are to be given one by one", async () => {
    const { page } = await openPage();

    await give(page, "index.xml", INDEX);

    await page.getByText("This is an index of 2 sitemaps").waitFor();
    await page.getByRole("link", { name: "https://example.org/sitemap-1.xml" }).waitFor();
    expect(await page.getByRole("link", { name: "javascript" }).count()).toBe(0);
  });

  test("monitors of another program, and says of those that watch no page why they are left out", async () => {
    const { page } = await openPage();

    await give(page, "monitors.csv", "Type,Friendly Name,URL/IP\nPing,Router,10.0.0.1\n");

    await page.getByText("A monitor of the type “Ping” does not watch a page.").waitFor();
    expect(await page.getByRole("button", { name: "Add 0 links" }).isDisabled()).toBe(true);
  });

  test("a list as something else when its reader knows better", async () => {
    const { page } = await openPage();
    await give(page, "urls.txt", "https://example.org/1,2\nhttps://example.org/3,4\n");
    await page.getByRole("button", { name: "Add 2 links" }).waitFor();

    await page.getByLabel("Read as").selectOption("Plain text");

    await page.getByText("https://example.org/1,2").waitFor();
    expect(await linesOn(page)).toEqual(["https://example.org/1,2", "https://example.org/3,4"]);
  });

  test("the groups that a table names, and makes those that are not there", async () => {
    const { page, accountId } = await openPage();
    const { deps } = dashboard().server;
    const caller = await operatorOf(deps, accountId);
    await createGroup(deps, caller, { name: "Docs", color: "#6B7280" });
    await page.reload();

    await give(
      page,
      "t.csv",
      "url,group\nhttps://example.org/a,docs\nhttps://example.org/b,Blog\n",
    );
    await page.getByText("Existing groups: docs.").waitFor();
    await page.getByText("Will be created: Blog.").waitFor();
    await page.getByRole("button", { name: "Add 2 links" }).click();
    await page.getByRole("heading", { name: "2 links added" }).waitFor();

    const { items } = await listGroups(deps, caller, { page: 1, per_page: 100 });
    expect(items.map(({ name, counts }) => [name, counts.unknown]).toSorted()).toEqual([
      ["Blog", 1],
      ["Docs", 1],
    ]);
  });

  test("a file that is dropped anywhere", async () => {
    const { page } = await openPage();
    const transfer = await page.evaluateHandle(() => {
      const files = new DataTransfer();
      files.items.add(new File(["https://example.org/dropped"], "dropped.txt"));
      return files;
    });

    await page.dispatchEvent("h1", "dragover", { dataTransfer: transfer });
    await page.getByText("Drop the file to read its links").waitFor();
    await page.dispatchEvent("h1", "drop", { dataTransfer: transfer });

    await page.getByRole("button", { name: "Add 1 link" }).waitFor();
    await page.getByText("dropped.txt").waitFor();
  });

  test("UTF-16 and other letters than UTF-8, and says so", async () => {
    const { page } = await openPage();

    const text = Buffer.from(`${BOM}url\thttps://example.org/ä\n`, "utf16le");
    await give(page, "utf-16.txt", text);
    await page.getByText("The file is in UTF-16.").waitFor();
    await page.getByText("As https://example.org/%C3%A4").waitFor();
    await page.getByRole("button", { name: "Start over" }).click();
    await give(page, "latin.txt", Buffer.from("https://example.org/\xe4\n", "latin1"));

    await page.getByText("The file is not in UTF-8. It was read as Windows-1252.").waitFor();
    await page.getByText("As https://example.org/%C3%A4").waitFor();
  });

  test.each([
    ["an archive", Buffer.from("PK\x03\x04…"), "is a ZIP archive or a spreadsheet."],
    ["a program", Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 1, 2]), "is not a text file."],
    ["a PDF", Buffer.from("%PDF-1.7\n"), "is a PDF."],
  ])("nothing from %s, and says what to do", async (_, content, said) => {
    const { page } = await openPage();
    await page.getByRole("textbox", { name: "URLs" }).fill("https://example.org/typed");

    await give(page, "file.bin", content);

    await page.getByText(`“file.bin” ${said}`).waitFor();
    const field = page.getByRole("textbox", { name: "URLs" });
    expect(await field.inputValue()).toBe("https://example.org/typed");
  });

  test("nothing from broken JSON, and of a sitemap that was cut off what is there, and says so", async () => {
    const { page } = await openPage();

    await give(page, "broken.json", '["https://example.org/a", ');
    await page.getByText("This could not be read as JSON").waitFor();
    await page.getByRole("button", { name: "Start over" }).click();
    await give(page, "cut.xml", SITEMAP.slice(0, SITEMAP.indexOf("<lastmod")));
    await page.getByText("The sitemap has no end.").waitFor();

    expect(await linesOn(page)).toEqual(["https://example.org/?a=1&b=2"]);
  });

  test("a line of ten million letters, and one without any URL, as lines that are refused", async () => {
    const { page } = await openPage();

    await give(page, "long.txt", `https://example.org/${"x".repeat(10_000_000)}\nhello\n`);

    await page.getByText("The URL must be at most 2048 characters.").waitFor();
    await page.getByText("The URL must be an http or https URL.").waitFor();
    expect(await page.getByRole("button", { name: "Add 0 links" }).isDisabled()).toBe(true);
  });

  test("an empty file, and says that no link is in it", async () => {
    const { page } = await openPage();

    await give(page, "empty.txt", "\r\n \r\n");

    await page.getByRole("heading", { name: "No links found" }).waitFor();
  });
});

const give = async (page: Page, name: string, content: string | Buffer) =>
  page
    .locator("input[type=file]")
    .setInputFiles({ name, mimeType: "", buffer: Buffer.from(content) });

/** Each line's URL, with its group and frequency. */
const linesOn = (page: Page) =>
  page.locator(".outcomes li").evaluateAll((all) =>
    all.map((line) =>
      [".url", ".when span:first-child"]
        .map((part) => line.querySelector(part)?.textContent?.replace(" · ", " "))
        .filter(Boolean)
        .join(" "),
    ),
  );
