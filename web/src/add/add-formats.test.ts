import { describe, expect, test } from "bun:test";
import type { Page } from "playwright-core";
import { operatorOf } from "../../../server/accounts/users.ts";
import { createGroup, listGroups } from "../../../server/links/groups/groups.ts";
import { listLinks } from "../../../server/links/list.ts";
import { recognise } from "../../../server/read/lists/formats.ts";
import { makeChange } from "../../../server/work/unit.ts";
import { onDashboard } from "../../../tests/browser.ts";
import { itemsAsText, readIn } from "../../../tests/imports/reading.ts";
import {
  addButton,
  addedOn,
  giveFile,
  openAdd,
  sheet,
  skippedOn,
  urlsField,
} from "../../../tests/web/adding.ts";
import { readFile } from "./source.ts";

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

const CUT_SITEMAP = `<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
  <url style="color:red"><loc> https://example.org/?a=1&amp;b=2 </loc>`;

const INDEX = `<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
  <sitemap><loc>https://example.org/sitemap-1.xml</loc></sitemap>
  <sitemap><loc>javascript:alert(1)</loc></sitemap>
</sitemapindex>`;

/** As the server reads what arrives. */
const read = (text: string) => readIn(text, { pieces: 256 * 1024 });

describe("A list that is given to the browser", () => {
  test.each([
    [
      "our own export, with a mark of its encoding",
      `${BOM}id,url,status,reason,group,check_frequency\r\n1,https://example.org/a,active,,"Docs, old",weekly\r\n2,https://example.org/b,dead,"It said ""no"".",'=Sum,\r\n`,
      "csv",
      ["2 https://example.org/a in Docs, old weekly", "3 https://example.org/b in =Sum"],
    ],
    [
      "cells pasted from a sheet without headings",
      "One\thttps://example.org/a\nTwo\thttps://example.org/b\n",
      "csv",
      ["1 https://example.org/a", "2 https://example.org/b"],
    ],
    [
      "a JSON list of texts",
      '["https://example.org/a", "https://example.org/b,c"]',
      "json",
      ["1 https://example.org/a", "1 https://example.org/b,c"],
    ],
    ["an empty file", "\r\n \r\n", "text", []],
  ])("is known by what is in it, and read: %s", async (_, content, format, found) => {
    const { text } = await readFile(new File([content], "file"));

    expect(recognise(text) as string).toBe(format);
    expect(itemsAsText(await read(text))).toEqual(found);
  });

  const urls = Array.from({ length: 4500 }, (_, n) => `https://example.org/${"x".repeat(60)}/${n}`);
  test.each([
    ["text", urls.join("\n")],
    ["csv", ["name,url", ...urls.map((url) => `"A [{ \\"" line",${url}`)].join("\n")],
    ["json", JSON.stringify(urls.map((url) => ({ note: 'a "]}" \\', url })))],
    ["bookmarks", `<dl>${urls.map((url) => `<dt><a href="${url}">x</a>`).join("\n")}</dl>`],
    ["sitemap", `<urlset>${urls.map((url) => `<url><loc>${url}</loc></url>`).join("\n")}</urlset>`],
  ])("is read whole over every part in which it is read: %s", async (format, text) => {
    expect(recognise(text) as string).toBe(format);
    expect((await read(text)).items.map(({ url }) => url)).toEqual(urls);
  });

  test("may be in UTF-16 or in other letters than UTF-8, and says so", async () => {
    const wide = Buffer.from(`${BOM}url\thttps://example.org/ä\n`, "utf16le");
    const old = Buffer.from("https://example.org/\xe4\n", "latin1");

    expect(await readFile(new File([wide], "wide.txt"))).toEqual({
      name: "wide.txt",
      text: "url\thttps://example.org/ä\n",
      notes: ["The file is in UTF-16. It was read as such."],
    });
    expect(await readFile(new File([old], "old.txt"))).toEqual({
      name: "old.txt",
      text: "https://example.org/ä\n",
      notes: ["The file is not in UTF-8. It was read as Windows-1252."],
    });
  });

  test.each([
    ["an archive", Buffer.from("PK\x03\x04…"), "is a ZIP archive or a spreadsheet."],
    ["a program", Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 1, 2]), "is not a text file."],
    ["a PDF", Buffer.from("%PDF-1.7\n"), "is a PDF."],
  ])("is refused with what to do: %s", async (_, content, said) => {
    const problem = readFile(new File([content], "file.bin")).then(String, String);

    expect(await problem).toContain(`“file.bin” ${said}`);
  });

  test("keeps of a line of ten million letters enough to say that it is too long", async () => {
    const text = `https://example.org/${"x".repeat(10_000_000)}\nhello\n`;

    const { items } = await read(text);

    expect(items.map(({ url }) => url.length)).toEqual([2100, 5]);
  });
});

onDashboard("The sheet that adds links reads", (dashboard) => {
  /** What was added, oldest first. */
  async function addedTo(accountId: string) {
    const { deps } = dashboard().server;
    const { items } = await listLinks(deps, await operatorOf(deps, accountId), {
      page: 1,
      per_page: 100,
    } as never);
    return items.toReversed();
  }

  test("files that are chosen or dropped, by what is in them or as their reader knows better", async () => {
    const { page, accountId } = await dashboard().user();
    const remove = sheet(page).getByRole("button", { name: "Remove" });
    await page.goto("/links");
    await page.getByText("No links yet").waitFor();
    await drop(page, "dropped.txt", "https://example.org/dropped");
    await addButton(page, "Add 1 link").waitFor();
    await sheet(page).getByText("dropped.txt").waitFor();
    await remove.click();

    await urlsField(page).fill("https://example.org/typed");
    await giveFile(page, "file.bin", "%PDF-1.7\n");
    await page.getByText("“file.bin” is a PDF.").waitFor();
    expect(await urlsField(page).inputValue()).toBe("https://example.org/typed");

    await giveFile(page, "index.xml", INDEX);
    await page.getByText("This is an index of 2 sitemaps").waitFor();
    await page.getByRole("link", { name: "https://example.org/sitemap-1.xml" }).waitFor();
    expect(await page.getByRole("link", { name: "javascript" }).count()).toBe(0);
    await remove.click();
    await giveFile(page, "monitors.csv", "Type,Friendly Name,URL/IP\nPing,Router,10.0.0.1\n");
    await page.getByText("A monitor of the type “Ping” does not watch a page.").waitFor();
    expect(await addButton(page, "Add 0 links").isDisabled()).toBe(true);
    await remove.click();
    await giveFile(page, "long.txt", `https://example.org/${"x".repeat(10_000)}\n`);
    await page.getByText("The URL must be at most 2048 characters.").waitFor();
    await remove.click();
    await giveFile(page, "broken.json", '["https://example.org/a", ');
    await page.getByText("This could not be read as JSON").waitFor();
    await remove.click();
    await giveFile(page, "empty.txt", "\r\n \r\n");
    await page.getByText("No links found.").waitFor();
    await remove.click();
    await giveFile(page, "cut.xml", CUT_SITEMAP);
    await page.getByText("The sitemap has no end.").waitFor();
    await addButton(page, "Add 1 link").waitFor();
    await remove.click();

    await giveFile(page, "bookmarks.html", BOOKMARKS);
    await addButton(page, "Add 3 links").waitFor();
    expect(await sheet(page).getByLabel("Read as").inputValue()).toBe("bookmarks");
    await sheet(page).getByRole("checkbox", { name: "Use the groups" }).check();
    await page.getByText("Will be created: Bar, Bar / Recipes & Cakes.").waitFor();
    await remove.click();
    await giveFile(page, "urls.txt", "https://example.org/1,2\nhttps://example.org/3,4\n");
    await addButton(page, "Add 2 links").waitFor();
    await sheet(page).getByLabel("Read as").selectOption("Plain text");
    await addButton(page, "Add 2 links").click();
    await addedOn(page, "2 links added");
    expect((await addedTo(accountId)).map(({ url }) => url)).toEqual([
      "https://example.org/1,2",
      "https://example.org/3,4",
    ]);
  });

  test("a table, with groups that it makes if need be, and lists what of it is not kept before and after", async () => {
    const { page, accountId } = await dashboard().user();
    const { deps } = dashboard().server;
    const caller = await operatorOf(deps, accountId);
    await makeChange(deps, caller, (unit) =>
      createGroup(unit, caller, { name: "Docs", color: "#6B7280" }),
    );
    await openAdd(page);
    const rows = [
      "url,group,title,tags,external_id,handling,owner",
      "https://example.org/a,docs,Handbook,docs;press,p-1,open,me",
      `https://example.org/b,Blog,${"x".repeat(201)},docs,p-2,muted,me`,
      "https://example.org/c,,Twice,,p-1,,",
    ];
    const notKept = async () => {
      await sheet(page).getByText("Column not used: owner.").waitFor();
      await sheet(page).getByText("Not everything of 1 line is kept").click();
      const list = sheet(page).getByRole("list", { name: "Not kept" });
      expect(await list.getByRole("listitem").allTextContents()).toEqual([
        "line 3https://example.org/bNot kept: title must be at most 200 characters, handling is only taken by stillup import --with-state.",
      ]);
    };

    await giveFile(page, "links.csv", rows.join("\n"));
    await page.getByText("Existing groups: docs.").waitFor();
    await page.getByText("Will be created: Blog.").waitFor();
    await addButton(page, "Add 2 links").waitFor();
    await notKept();
    expect(await skippedOn(page)).toEqual([
      "line 4https://example.org/cAnother link has this external_id.",
    ]);
    await addButton(page).click();
    await addedOn(page, "2 links added");
    await notKept();

    const { items: groups } = await listGroups(deps, caller, {
      page: 1,
      per_page: 100,
      sort: "name",
    });
    const nameOf = new Map(groups.map(({ id, name }) => [id, name]));
    const added = (await addedTo(accountId)).map(({ groupId, details }) => {
      const { title, tags, externalId } = details;
      return [nameOf.get(groupId!), title, tags, externalId];
    });
    expect(added).toEqual([
      ["Docs", "Handbook", ["docs", "press"], "p-1"],
      ["Blog", null, ["docs"], "p-2"],
    ]);
    expect(groups).toHaveLength(2);
  });
});

/** Drops a file on the page. */
async function drop(page: Page, name: string, content: string) {
  const dataTransfer = await page.evaluateHandle(
    ([name, content]) => {
      const files = new DataTransfer();
      files.items.add(new File([content], name));
      return files;
    },
    [name, content] as const,
  );
  await page.dispatchEvent("main", "dragover", { dataTransfer });
  await page.getByText("Drop the file to read its links").waitFor();
  await page.dispatchEvent("main", "drop", { dataTransfer });
}
