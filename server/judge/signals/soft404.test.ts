import { expect, test } from "bun:test";
import { seenOf, verdictOn } from "../../../tests/checker/seen.ts";
import { encoded, page, paragraph } from "../../../tests/checker/signals/missing-pages.ts";
import { agree } from "../../../tests/each-row.ts";
import { judge } from "../verdict.ts";

const CHARSETS = [
  ["windows-1251", "Страница не найдена", "Страница одной книги"],
  ["shift_jis", "お探しのページは見つかりません", "お探しのページの物語"],
  ["gbk", "您访问的页面不存在", "页面的故事"],
] as const;

test("the words of an error page are read in old charsets, which the header or the page names", () =>
  agree(
    CHARSETS.map(([charset, missing, title]) => ({
      story: charset,
      expected: {
        named: "dead soft404_body C2",
        unnamed: "dead soft404_body C2",
        living: "active ok",
      },
      async seen() {
        const saying = (words: string) =>
          encoded(`<meta charset="${charset}"><title>${words}</title><h1>${words}</h1>`, charset);
        const named = { "Content-Type": `text/html; charset=${charset}` };
        const unnamed = { "Content-Type": "text/html" };
        const html = saying(missing);
        return {
          named: await verdictOn({ html, headers: named }),
          unnamed: await verdictOn({ html, headers: unnamed }),
          living: await verdictOn({ html: saying(title), headers: unnamed }),
        };
      },
    })),
  ));

test("a page like those that the host shows for random addresses is found out only once the host is known", async () => {
  const html = page("The Harbour Gazette", "Today", { main: paragraph(1, 400) });

  const { facts, ...seen } = await seenOf({ html });

  expect(judge({ ...seen, facts: {} })).toEqual({ needs: "profile" });
  expect(facts.profile).toEqual({ kind: "honest" });
});
