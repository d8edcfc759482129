import { encodeXML } from "entities";

/** What a message to a person says. All texts may contain anything: they are shown on one line and never as markup. */
export type MailContent = {
  subject: string;
  heading: string;
  /** Of the line at the top. */
  tone?: "bad" | "good" | "neutral";
  /** A link that the message is about: its title, and its URL as text. */
  about?: { title: string | null; url: string };
  paragraphs?: string[];
  /** Facts, each with its name. */
  rows?: [name: string, value: string][];
  /** Many links, each with its own line about it. */
  list?: { text: string; detail: string }[];
  /** What follows the list. */
  closing?: string[];
  button?: { text: string; url: string };
  footer: string[];
  unsubscribeUrl?: string;
  /** What that link does; "Unsubscribe" by default. */
  unsubscribeText?: string;
};

const LONGEST_SUBJECT = 150;
const LONGEST_TEXT = 1000;

/** Returns the parts of the message: the same words as text and as HTML. */
export function renderMail(content: MailContent): { subject: string; text: string; html: string } {
  return {
    subject: cut(singleLine(content.subject), LONGEST_SUBJECT),
    text: textOf(content),
    html: htmlOf(content),
  };
}

/** Replaces what would break the line or reverse its direction. */
export const singleLine = (text: string) =>
  text
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, " ")
    .trim();

const cut = (text: string, most: number) =>
  [...text].length <= most ? text : `${[...text].slice(0, most - 1).join("")}…`;

const plain = (text: string) => cut(singleLine(text), LONGEST_TEXT);

function textOf(content: MailContent): string {
  const { heading, about, paragraphs = [], rows = [], list = [], button } = content;
  const blocks = [
    plain(heading),
    about && [about.title, about.url].flatMap((each) => (each ? plain(each) : [])).join("\n"),
    ...paragraphs.map(plain),
    rows.map(([name, value]) => `${name}: ${plain(value)}`).join("\n"),
    list.map(({ text, detail }) => `- ${plain(text)}\n  ${plain(detail)}`).join("\n"),
    (content.closing ?? []).map(plain).join("\n"),
    button && `${button.text}:\n${button.url}`,
    ["-- ", ...content.footer.map(plain)].join("\n"),
    content.unsubscribeUrl && `${unsubscribeText(content)}: ${content.unsubscribeUrl}`,
  ];
  return `${blocks.filter(Boolean).join("\n\n")}\n`;
}

const unsubscribeText = ({ unsubscribeText: text = "Unsubscribe" }: MailContent) => plain(text);

const escaped = (text: string) => encodeXML(plain(text));

/** `<wbr>` in what looks like an address keeps mail programs from making a link of it. */
const inert = (text: string) => escaped(text).replace(/[:.@/]/g, "$&<wbr>");

const FONT =
  "font-family:-apple-system,BlinkMacSystemFont,'Segoe UI',Roboto,Helvetica,Arial,sans-serif";
const TONES = { bad: "#b42318", good: "#16794a", neutral: "#1d2129" };

/** Programs that know it have a dark theme. */
export const DARK_ONLY = "@media (prefers-color-scheme:dark)";

/** Classes are only for the dark: programs that know no media queries show the light one. */
const DARK = `
:root{color-scheme:light dark;supported-color-schemes:light dark}
${DARK_ONLY}{
.page{background:#111317!important}.card{background:#1a1d23!important;border-color:#2c313a!important}
.ink{color:#eceef2!important}.soft{color:#a3abb8!important}.rule{border-color:#2c313a!important}
.bad{color:#ff8f85!important}.good{color:#5fd39b!important}.neutral{color:#eceef2!important}
.button{background:#eceef2!important;color:#111317!important}}`;

function htmlOf(content: MailContent): string {
  const { heading, tone = "neutral", about, paragraphs = [], rows = [], list = [] } = content;
  const parts = [
    `<h1 class="${tone}" style="margin:0 0 16px;font-size:20px;line-height:28px;font-weight:600;color:${TONES[tone]}">${escaped(heading)}</h1>`,
    about && aboutHtml(about),
    ...paragraphs.map(
      (text) => `<p class="ink" style="margin:0 0 16px;color:#1d2129">${escaped(text)}</p>`,
    ),
    rows.length > 0 && rowsHtml(rows),
    list.length > 0 && listHtml(list),
    ...(content.closing ?? []).map(
      (text) => `<p class="soft" style="margin:0 0 4px;color:#667085">${escaped(text)}</p>`,
    ),
    content.button && buttonHtml(content.button),
  ];
  const body = parts.filter(Boolean).join("\n");
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark"><meta name="supported-color-schemes" content="light dark">
<title>${escaped(content.subject)}</title><style>${DARK}</style></head>
<body class="page" style="margin:0;padding:24px 12px;background:#f4f5f7;${FONT};font-size:15px;line-height:22px">
<div class="card" style="max-width:600px;margin:0 auto;box-sizing:border-box;padding:28px;background:#ffffff;border:1px solid #e4e7ec;border-radius:12px">
${body}
</div>
<div class="soft" style="max-width:600px;margin:16px auto 0;box-sizing:border-box;padding:0 28px;font-size:13px;line-height:19px;color:#667085">
${footerHtml(content)}
</div>
</body></html>
`;
}

const aboutHtml = ({ title, url }: NonNullable<MailContent["about"]>) => `
<div class="rule" style="margin:0 0 16px;padding:0 0 16px;border-bottom:1px solid #e4e7ec;overflow-wrap:anywhere">
${title ? `<div class="ink" style="font-weight:600;color:#1d2129">${inert(title)}</div>` : ""}
<div class="soft" style="color:#667085">${inert(url)}</div>
</div>`;

const rowsHtml = (rows: [string, string][]) => `
<table role="presentation" cellpadding="0" cellspacing="0" style="margin:0 0 16px;border-collapse:collapse">
${rows
  .map(
    ([name, value]) =>
      `<tr><td class="soft" style="padding:2px 16px 2px 0;vertical-align:top;white-space:nowrap;color:#667085">${escaped(name)}</td><td class="ink" style="padding:2px 0;color:#1d2129;overflow-wrap:anywhere">${inert(value)}</td></tr>`,
  )
  .join("\n")}
</table>`;

const listHtml = (list: NonNullable<MailContent["list"]>) => `
<div style="margin:0 0 16px">
${list
  .map(
    ({ text, detail }) =>
      `<div class="rule" style="padding:8px 0;border-bottom:1px solid #e4e7ec;overflow-wrap:anywhere"><div class="ink" style="color:#1d2129">${inert(text)}</div><div class="soft" style="font-size:13px;color:#667085">${inert(detail)}</div></div>`,
  )
  .join("\n")}
</div>`;

const buttonHtml = ({ text, url }: NonNullable<MailContent["button"]>) =>
  `<p style="margin:24px 0 0"><a class="button" href="${encodeXML(url)}" style="display:inline-block;padding:10px 18px;border-radius:8px;background:#1d2129;color:#ffffff;font-weight:600;text-decoration:none">${escaped(text)}</a></p>`;

function footerHtml(content: MailContent): string {
  const { footer, unsubscribeUrl } = content;
  const lines = footer.map((text) => `<div>${inert(text)}</div>`);
  const way = unsubscribeUrl
    ? `<div><a class="soft" href="${encodeXML(unsubscribeUrl)}" style="color:#667085">${escaped(unsubscribeText(content))}</a></div>`
    : "";
  return [...lines, way].join("\n");
}
