import { expect, test } from "bun:test";
import { eachRow } from "../../tests/each-row.ts";
import { echoesOf } from "../../tests/hosts/echoes.ts";
import { createMask } from "../judge/mask.ts";

const KEY = `Zq7/w+X9%k&2 vB'<5>"\\e`;
const PASSWORD = "p@55: word";
const TOKEN = "ghx_0aB1cD2eF3";

const NOTHING = { headers: [], auth: null };
const header = (value: string, name = "X-Key") => ({
  ...NOTHING,
  headers: [[name, value] as [string, string]],
});

const around = (text: string) => `Before ${text} after it all.`;

eachRow(echoesOf(KEY).map((echo) => [echo]))(
  "a header's value is masked however a page repeats it",
  (echo) => {
    const shown = createMask(header(KEY))(around(echo));

    expect(shown).toMatch(/^Before .*\*\*\*.* after it all\.$/);
    expect(shown).not.toContain(KEY.slice(0, 6));
    expect(shown).not.toContain(btoa(KEY).slice(0, 8));
  },
);

eachRow([
  ["Bearer abcd.efgh", "abcd.efgh"],
  ["Token token=abcdefgh", "abcdefgh"],
  ["session=0123456789; theme=dark-blue", "0123456789"],
  [`Basic ${btoa(`monitor:${PASSWORD}`)}`, PASSWORD],
])("a part of a value that is secret alone is masked too", (value, part) => {
  expect(createMask(header(value, "Authorization"))(around(part))).toBe(around("***"));
});

test("a password is masked alone, and with its user in base64", () => {
  const mask = createMask({
    headers: [],
    auth: { type: "basic", user: "monitor", password: PASSWORD },
  });

  expect(mask(around(PASSWORD))).toBe(around("***"));
  expect(mask(around(btoa(`monitor:${PASSWORD}`).replace(/=+$/, "")))).toBe(around("***"));
  expect(mask("monitor")).toBe("monitor");
});

test("a token is masked, and words that only begin like it are not", () => {
  const mask = createMask({ headers: [], auth: { type: "bearer", token: TOKEN } });

  expect(mask(around(TOKEN))).toBe(around("***"));
  expect(mask("ghx_0aB1")).toBe("ghx_0aB1");
  expect(mask("https://example.org/ghx_")).toBe("https://example.org/ghx_");
});

eachRow([4, 8, 13])(
  "the first characters of a token at the end of a cut text are masked",
  (length) => {
    const mask = createMask({ headers: [], auth: { type: "bearer", token: TOKEN } });
    const text = "Some words. ".repeat(10);

    expect(mask(text + TOKEN.slice(0, length))).toBe(`${text}***`);
    expect(mask(`It says “${text + TOKEN.slice(0, length)}…”.`)).toBe(`It says “${text}***…”.`);
  },
);

test("a value of many spaces takes no time in a page of spaces", () => {
  const mask = createMask(header(`ab${" ".repeat(2000)}cde`));

  expect(mask(" ".repeat(100_000))).toBe(" ".repeat(100_000));
  expect(mask("ab cde and more")).toBe("*** and more");
});
