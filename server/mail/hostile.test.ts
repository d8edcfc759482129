import { expect, test } from "bun:test";
import { eachRow } from "../../tests/each-row.ts";
import { onServer } from "../../tests/harness.ts";
import { mailSettings, startMailHost } from "../../tests/smtp.ts";
import { mailFor } from "../notify/email.ts";
import { sampleOf } from "../notify/event-types.ts";
import { renderMail } from "./layout.ts";

const host = await startMailHost();

/** What someone else may have put into a title, a URL or a name. */
const HOSTILE = [
  "x\r\nBcc: eve@evil.example",
  "x\nRCPT TO:<eve@evil.example>",
  "x\r\n.\r\nMAIL FROM:<eve@evil.example>",
  "x\u0000y",
  "x\u2028Bcc: eve@evil.example",
  "x\u0085Bcc: eve@evil.example",
  "\u202eelpmaxe.live",
  "\u2066isolated\u2069",
  "zero\u200bwidth\ufeff",
  "<script>alert(1)</script>",
  "</style><img src=https://evil.example/a.png>",
  "</title></head><body onload=alert(1)>",
  '"><a href="https://evil.example">click</a>',
  "'><svg/onload=alert(1)>",
  "&lt;b&gt; &amp; &#60;script&#62;",
  "<!-- comment",
  "-->",
  "<![CDATA[x]]>",
  "=?utf-8?B?QmNjOiBldmVAZXZpbC5leGFtcGxl?=",
  "=?utf-8?Q?=0D=0ABcc:_eve@evil.example?=",
  "eve@evil.example, mallory@evil.example",
  '"Eve" <eve@evil.example>',
  "group: eve@evil.example;",
  "(comment) eve@evil.example",
  "https://evil.example/https://evil.example/",
  "javascript:alert(1)",
  "data:text/html,<script>alert(1)</script>",
  "mailto:eve@evil.example?bcc=mallory@evil.example",
  "{{constructor.constructor('alert(1)')()}}",
  "$" + "{process.env.SECRET}",
  "%0d%0aBcc: eve@evil.example",
  "\ud800 lone",
  "lone \udc00",
  "😀".repeat(200),
  "a".repeat(5000),
  "ä".repeat(998),
  "tab\tand\u000bvertical",
  "\u001b[31mred",
  "--boundary--",
  ".",
];

/** Headers that our messages have. */
const OURS = new Set([
  ...["from", "to", "subject", "date", "message-id", "references", "in-reply-to", "mime-version"],
  ...["auto-submitted", "x-auto-response-suppress", "content-type", "list", "x-stillup-event"],
]);

onServer(
  "a hostile text",
  (server) => {
    eachRow(HOSTILE.map((text) => ({ text, shown: JSON.stringify(text).slice(0, 60) })))(
      "$shown stays text, as URL, as name and in all that is noted about a link",
      async ({ text }) => {
        const { deps } = server();
        const at = Date.parse("2030-01-01T00:00:00Z");
        const said = { title: text, note: text, tags: [text], assignee: { id: "x", email: text } };
        const data = { ...sampleOf("link.dead", at), url: text, ...said };
        const event = { type: "link.dead", data: JSON.stringify(data), createdAt: at } as const;
        const to = { webhookId: "w1", accountId: "a1", address: "ann@example.org" };
        const mail = mailFor(deps, "msg_1", event, { ...to, name: text, timeZone: null });
        const before = host.letters.length;

        const sent = await deps.mail!.send(mail);

        expect(sent).toMatchObject({ kind: "replied", what: "sent" });
        expect(host.letters).toHaveLength(before + 1);
        const letter = host.letters.at(-1)!;
        expect([letter.sender, letter.recipients]).toEqual([
          "stillup@links.example.org",
          ["ann@example.org"],
        ]);
        for (const name of letter.headers.keys()) expect(OURS).toContain(name);
        expect(letter.to).toMatchObject({ value: [{ address: "ann@example.org" }] });
        expect([...letter.subject!].length).toBeLessThanOrEqual(151);
        for (const line of letter.raw.split("\r\n")) expect(line.length).toBeLessThanOrEqual(998);
        const html = letter.html as string;
        const links = [...html.matchAll(/href="([^"]*)"/g)].map(([, url]) => url!);
        expect(links.every((url) => url.startsWith("https://links.example.org/"))).toBe(true);
        const shown = html.replace(/<title>.*?<\/title>|href="[^"]*"/g, "");
        expect(shown).not.toMatch(/\w:\/\/\w|\w@\w/);
        const tags = new Set(
          [...html.matchAll(/<\/?([a-z!][a-z0-9]*)/gi)].map(([, tag]) => tag!.toLowerCase()),
        );
        for (const tag of ["script", "img", "svg", "b", "iframe"]) expect(tags).not.toContain(tag);
        expect(html).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/);
        expect(letter.text).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/);
        expect(
          letter.text!.split("\n").filter((line) => /^(Bcc|RCPT TO|MAIL FROM):/.test(line)),
        ).toEqual([]);
      },
    );

    test("is shown whole where there is room", () => {
      const { text, html } = renderMail({
        subject: "S",
        heading: "<b>H</b>",
        about: { title: "T & U", url: "https://example.com/a@b" },
        footer: ["F"],
      });
      expect(text).toContain("<b>H</b>");
      expect(text).toContain("T & U\nhttps://example.com/a@b");
      expect(html).toContain("&lt;b&gt;H&lt;/b&gt;");
    });
  },
  { ...mailSettings(host.port), STILLUP_PUBLIC_URL: "https://links.example.org" },
);
