import { afterAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { folderWith } from "../../../tests/commands/program.ts";
import { eachRow } from "../../../tests/each-row.ts";
import { formatOfName } from "../../read/documents/formats.ts";
import { createReader } from "../check/documents.ts";
import { NOT_WHOLE, rewrite } from "./rewrite.ts";

const reader = createReader(() => {});
afterAll(() => reader.close());

const OLD = "https://old.example/a";
const NEW = "https://new.example/b?x=1&y=2";
const PARENTHESIS = "https://new.example/b(c";
const PIPE = "https://new.example/a|b";
const QUOTE = "https://new.example/it's";
const MARKS = "https://new.example/*a*__b__c_";
const ENTITY = "https://new.example/?a&copy;b";

/** The document with another address in place of the old one; the reason if it is left alone. */
async function rewritten(name: string, content: string | Buffer, address: string) {
  const folder = folderWith({ [name]: content });
  const path = join(folder, name);
  const format = formatOfName(name)!;
  const read = (await reader.text(name, "", format))!;
  const document = { file: name, path, root: folder, format, read };
  const result = await rewrite(document, reader, (url) => (url === OLD ? address : undefined));
  return "problem" in result ? result.problem : result.after;
}

const LEFT = "Its other links would not stay the same.";

/** `@` stands for the old address, and for the new one. */
type Row = [name: string, address: string, before: string, after?: string];
const rows: Row[] = [
  ["a.md", NEW, "[a](@) [b](<@> 'c') ![d](@) <@> (@) @."],
  [
    "a.md",
    NEW,
    "[@](@), [@][] and [a][@]\n\n[@]: @",
    `[${OLD}](@), [${OLD}][] and [a][${OLD}]\n\n[${OLD}]: @`,
  ],
  ["a.md", NEW, "[a], [b][a] and ![c][a]\n\n> [a]: <@>\n> (d)"],
  ["a.md", NEW, "<a href=\"@\">a</a> <img src='@'>", "<a href=\"&\">a</a> <img src='&'>"],
  [
    "a.md",
    NEW,
    "`@` [a](@) <!-- @ -->\n\n    @\n\n```\n@\n```",
    `\`${OLD}\` [a](@) <!-- ${OLD} -->\n\n    ${OLD}\n\n\`\`\`\n${OLD}\n\`\`\``,
  ],
  [
    "a.md",
    NEW,
    "@ <!-- stillup-disable-line -->\n\n@",
    `${OLD} <!-- stillup-disable-line -->\n\n@`,
  ],
  ["a.md", NEW, "[a]({{ @ }}) [b](@) [c](@/{id})", `[a]({{ ${OLD} }}) [b](@) [c](${OLD}/{id})`],
  ["a.md", NEW, "[a](@b) [b](@#c) [c](@)", `[a](${OLD}b) [b](${OLD}#c) [c](@)`],
  ["a.md", PARENTHESIS, "[a](@) [b](<@>)\n\n[c]: @ 'd'", "[a](<@>) [b](<@>)\n\n[c]: <@> 'd'"],
  ["a.md", PIPE, "| a |\n|---|\n| [a](@) |", "| a |\n|---|\n| [a](https://new.example/a\\|b) |"],
  ["a.md", PIPE, "| a |\n|---|\n| @ |", LEFT],
  ["a.md", MARKS, "[a](@) @ <@>", "[a](@) <@> <@>"],
  ["a.md", ENTITY, "[a](@) <@> @", "[a](https://new.example/?a&amp;copy;b) <@> @"],
  ["a.mdx", NEW, '<Card href="@" /> [a](@) {"@"} @', `<Card href="&" /> [a](@) {"${OLD}"} @`],
  ["a.mdx", MARKS, "@", LEFT],
  ["a.html", NEW, '<a href="@">@</a>', `<a href="&">${OLD}</a>`],
  [
    "a.html",
    NEW,
    "<img srcset='@ 1x, @ 2x'><script>let a = '@'</script>",
    `<img srcset='& 1x, & 2x'><script>let a = '${OLD}'</script>`,
  ],
  [
    "a.html",
    QUOTE,
    "<a href='@'><a href=\"@\"><a href=@>",
    "<a href='https://new.example/it&#39;s'><a href=\"@\"><a href=@>",
  ],
  ["a.html", NEW, '<link rel="canonical" href="@">', NOT_WHOLE],
  ["a.rst", NEW, "See `a <@>`_, b_, @.\n\n.. _b:\n   @\n\n.. image:: @\n   :target: @"],
  ["a.rst", NEW, "``@`` @::\n\n   @\n\n.. @", `\`\`${OLD}\`\` @::\n\n   ${OLD}\n\n.. ${OLD}`],
  ["a.rst", MARKS, "@ `a <@>`_\n\n.. image:: @", "/ `a </>`_\n\n.. image:: @"],
  ["a.rst", "https://new.example/a_(b)", "See @.", LEFT],
  [
    "a.adoc",
    NEW,
    "@[a] link:@[b] <@> @.\n\nimage::@[]\n\n----\n@\n----",
    `@[a] link:@[b] <@> @.\n\nimage::@[]\n\n----\n${OLD}\n----`,
  ],
  [
    "a.adoc",
    MARKS,
    "@[a] link:@[b] link:++@++[c] @.",
    "link:++@++[a] link:++@++[b] link:++@++[c] link:++@++[].",
  ],
  ["a.adoc", NEW, ":base: https://old.example\n\n{base}/a[a]", NOT_WHOLE],
  ["a.txt", NEW, "(@), @."],
  ["a.txt", PARENTHESIS, "(@)", LEFT],
];

describe("An address that is replaced in a document", () => {
  eachRow(rows)(
    "is written as its format has it: %s %s %s",
    async (name, address, before, after) => {
      const escaped = String.raw`https://new.example/\*a\*\__b\__c\_`;
      const wanted = (after ?? before)
        .replaceAll("@", address)
        .replaceAll(/(?<=["' ])&(?=["' ])/g, address.replaceAll("&", "&amp;"))
        .replaceAll(/(?<=^|<)\/(?=[ >])/g, escaped);

      const result = await rewritten(name, before.replaceAll("@", OLD), address);

      expect(result.toString()).toBe(wanted);
    },
  );

  test("is written into the JSON of a notebook", async () => {
    const notebook = (address: string, inTag: string) =>
      JSON.stringify(
        {
          cells: [
            { cell_type: "code", source: OLD, outputs: [{ text: OLD }] },
            {
              cell_type: "markdown",
              source: [`"See" [a](${address})\n`, `<a href="${inTag}">b</a> ${address}`],
            },
          ],
        },
        null,
        1,
      );

    const result = await rewritten("a.ipynb", notebook(OLD, OLD), NEW);

    expect(result.toString()).toBe(notebook(NEW, NEW.replace("&", "&amp;")));
  });

  test("leaves each other byte as it is", async () => {
    const text = (address: string) => `\t😀 é\r\n[a](${address}) é <${address}>\n\r[b](${address})`;
    const utf8 = (address: string) => Buffer.from(`\uFEFF${text(address)}`);
    const utf16 = (address: string) => Buffer.from(`\uFEFF${text(address)}`, "utf16le");
    const latin = (address: string) =>
      Buffer.from(`<p>\xE9\x80<a href="${address}">\xFC`, "latin1");

    const kanji = Buffer.from([...Buffer.from('<meta charset="shift_jis">'), 0x93, 0xfa]);

    expect(await rewritten("a.md", utf8(OLD), PARENTHESIS)).toEqual(
      Buffer.from(
        utf8(OLD)
          .toString()
          .replaceAll(`(${OLD})`, `(<${PARENTHESIS}>)`)
          .replace(`<${OLD}>`, `<${PARENTHESIS}>`),
      ),
    );
    expect(await rewritten("a.md", utf16(OLD), QUOTE)).toEqual(utf16(QUOTE));
    expect(await rewritten("b.md", utf16(OLD).swap16(), QUOTE)).toEqual(utf16(QUOTE).swap16());
    expect(await rewritten("a.html", latin(OLD), QUOTE)).toEqual(latin(QUOTE));
    expect(
      await rewritten("a.html", Buffer.concat([kanji, Buffer.from(`<a href="${OLD}">`)]), NEW),
    ).toBe("Files in shift_jis are not changed.");
  });
});
