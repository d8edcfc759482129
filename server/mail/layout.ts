import { encodeXML } from "entities";
import { COLORS } from "./colors.ts";

/** What a message to a person says. All texts may contain anything: they are shown on one line and never as markup. */
export type MailContent = {
  subject: string;
  heading: string;
  /** Of the band at the top. */
  tone?: "bad" | "good" | "neutral";
  /** One sentence below the heading. */
  lead?: string;
  /** A link that the message is about: its title, and its URL as text. */
  about?: { title: string | null; url: string };
  paragraphs?: string[];
  /** Facts, each with its name. */
  rows?: [name: string, value: string][];
  /** Sentences about what was seen. */
  evidence?: string[];
  lists?: MailList[];
  /** What follows the lists. */
  closing?: string[];
  button?: { text: string; url: string };
  footer: string[];
  unsubscribeUrl?: string;
  /** What that link does; "Unsubscribe" by default. */
  unsubscribeText?: string;
};

/** Links that have something in common, each with its own line about it and its page in the dashboard. */
export type MailList = {
  name: string;
  items: { text: string; detail: string; url: string | null }[];
};

const LONGEST_SUBJECT = 150;
const LONGEST_TEXT = 1000;
/** Of many links: Gmail cuts messages of more than 102 kB. */
const LONGEST_ITEM = 300;

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
  const { heading, lead, about, paragraphs = [], rows = [], lists = [], button } = content;
  const { evidence = [], closing = [] } = content;
  const blocks = [
    [heading, lead ?? ""].filter(Boolean).map(plain).join("\n"),
    about && [about.title, about.url].flatMap((each) => (each ? plain(each) : [])).join("\n"),
    ...paragraphs.map(plain),
    rows.map(([name, value]) => `${name}: ${plain(value)}`).join("\n"),
    evidence.length > 0 && [EVIDENCE, ...evidence.map((each) => `- ${plain(each)}`)].join("\n"),
    ...lists.map(listText),
    closing.map(plain).join("\n"),
    button && `${button.text}:\n${button.url}`,
    ["-- ", ...content.footer.map(plain)].join("\n"),
    content.unsubscribeUrl && `${unsubscribeText(content)}: ${content.unsubscribeUrl}`,
  ];
  return `${blocks.filter(Boolean).join("\n\n")}\n`;
}

const EVIDENCE = "Evidence";

function listText({ name, items }: MailList): string {
  const lines = items.flatMap(({ text, detail, url }) => [
    `- ${shortened(text)}`,
    ...[plain(detail), url ?? ""].filter(Boolean).map((line) => `  ${line}`),
  ]);
  return [plain(name), ...lines].join("\n");
}

const shortened = (text: string) => cut(singleLine(text), LONGEST_ITEM);

const unsubscribeText = ({ unsubscribeText: text = "Unsubscribe" }: MailContent) => plain(text);

const escaped = (text: string) => encodeXML(plain(text));

/** `<wbr>` in what looks like an address keeps mail programs from making a link of it. */
const inert = (text: string) => escaped(text).replace(/[:.@/]/g, "$&<wbr>");

const FONT =
  "font-family:Geist,system-ui,-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif";

/** Programs that know it have a dark theme. */
export const DARK_ONLY = "@media (prefers-color-scheme:dark)";

type Property = "color" | "background" | "border-color";
type Token = keyof typeof COLORS;

/** The class of a part that has a color, which changes it in the dark. */
const classOf = (property: Property, token: Token) => `${PREFIXES[property]}-${token}`;
const PREFIXES: Record<Property, string> = { color: "c", background: "b", "border-color": "l" };

/** The attributes of a part: its color in the light, and the class for the dark. */
const colored = (style: string, ...colors: [Property, Token][]) => {
  const classes = colors.map(([property, token]) => classOf(property, token)).join(" ");
  const light = colors.map(([property, token]) => `${property}:${COLORS[token].light}`).join(";");
  return `class="${classes}" style="${[style, light].filter(Boolean).join(";")}"`;
};

const PROPERTIES = Object.keys(PREFIXES) as Property[];
const TOKENS = Object.keys(COLORS) as Token[];
const DARK_RULES = PROPERTIES.flatMap((property) =>
  TOKENS.map(
    (token) => `.${classOf(property, token)}{${property}:${COLORS[token].dark}!important}`,
  ),
).join("\n");

/** Classes are only for the dark: programs that know no media queries show the light one. */
const DARK = `
:root{color-scheme:light dark;supported-color-schemes:light dark}
${DARK_ONLY}{
${DARK_RULES}}`;

function htmlOf(content: MailContent): string {
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark"><meta name="supported-color-schemes" content="light dark">
<title>${escaped(content.subject)}</title><style>${DARK}</style></head>
<body ${colored(`margin:0;padding:24px 12px;${FONT};font-size:14px;line-height:21px`, ["background", "paper"], ["color", "ink"])}>
${BRAND}
<div ${colored("max-width:600px;margin:0 auto;box-sizing:border-box;overflow:hidden;border:1px solid;border-radius:12px", ["background", "panel"], ["border-color", "line"])}>
${bandHtml(content)}
<div style="padding:20px 28px 28px">
${partsHtml(content)}
</div></div>
<div ${colored("max-width:600px;margin:16px auto 0;box-sizing:border-box;padding:0 28px;font-size:12px;line-height:18px", ["color", "soft"])}>
${footerHtml(content)}
</div>
</body></html>
`;
}

const BRAND = `<div ${colored("max-width:600px;margin:0 auto 16px;box-sizing:border-box;padding:0 28px;font-size:14px;font-weight:600", ["color", "ink"])}><span ${colored("display:inline-block;width:16px;height:16px;margin-right:8px;border-radius:5px;vertical-align:-3px", ["background", "mark"])}></span>Stillup</div>`;

const BANDS = {
  bad: { ground: "dead-back", ink: "dead" },
  good: { ground: "alive-back", ink: "alive" },
  neutral: { ground: "panel", ink: "ink" },
} as const;

/** What has happened, in the colors of the verdict as the dashboard shows it. */
function bandHtml({ heading, lead, tone = "neutral" }: MailContent): string {
  const { ground, ink } = BANDS[tone];
  const padding = tone === "neutral" ? "24px 28px 0" : "20px 28px";
  const sentence = lead && `<p ${colored("margin:6px 0 0", ["color", "ink"])}>${inert(lead)}</p>`;
  return `<div ${colored(`padding:${padding}`, ["background", ground])}>
<h1 ${colored("margin:0;font-size:20px;line-height:26px;font-weight:600", ["color", ink])}>${escaped(heading)}</h1>${sentence ?? ""}
</div>`;
}

function partsHtml(content: MailContent): string {
  const { about, paragraphs = [], rows = [], evidence = [], lists = [], closing = [] } = content;
  return [
    about && aboutHtml(about),
    ...paragraphs.map(
      (text) => `<p ${colored("margin:0 0 16px", ["color", "ink"])}>${escaped(text)}</p>`,
    ),
    rows.length > 0 && rowsHtml(rows),
    evidence.length > 0 && evidenceHtml(evidence),
    ...lists.map(listHtml),
    ...closing.map(
      (text) => `<p ${colored("margin:0 0 4px", ["color", "soft"])}>${escaped(text)}</p>`,
    ),
    content.button && buttonHtml(content.button),
  ]
    .filter(Boolean)
    .join("\n");
}

const aboutHtml = ({ title, url }: NonNullable<MailContent["about"]>) => `
<div style="margin:0 0 16px;overflow-wrap:anywhere">
${title ? `<div ${colored("font-weight:600", ["color", "ink"])}>${inert(title)}</div>` : ""}
<div ${colored("", ["color", title ? "soft" : "ink"])}>${inert(url)}</div>
</div>`;

const rowsHtml = (rows: [string, string][]) => `
<table role="presentation" cellpadding="0" cellspacing="0" style="margin:0 0 20px;border-collapse:collapse">
${rows
  .map(
    ([name, value]) =>
      `<tr><td ${colored("padding:2px 16px 2px 0;vertical-align:top;white-space:nowrap", ["color", "soft"])}>${escaped(name)}</td><td ${colored("padding:2px 0;overflow-wrap:anywhere", ["color", "ink"])}>${inert(value)}</td></tr>`,
  )
  .join("\n")}
</table>`;

const headingHtml = (text: string) =>
  `<h2 ${colored("margin:0 0 4px;font-size:14px;line-height:21px;font-weight:600", ["color", "ink"])}>${escaped(text)}</h2>`;

const evidenceHtml = (evidence: string[]) => `${headingHtml(EVIDENCE)}
<ul style="margin:0 0 20px;padding:0 0 0 18px">
${evidence.map((each) => `<li ${colored("margin:0 0 2px;overflow-wrap:anywhere", ["color", "ink"])}>${inert(each)}</li>`).join("\n")}
</ul>`;

const listHtml = ({ name, items }: MailList) => `${headingHtml(name)}
<div style="margin:0 0 20px">
${items.map(itemHtml).join("\n")}
</div>`;

/** The URL is text, never a link: what died may be for sale. */
function itemHtml({ text, detail, url }: MailList["items"][number]): string {
  const about = detail && `<span ${colored("", ["color", "soft"])}>${inert(detail)}</span>`;
  const link = url && `<a href="${encodeXML(url)}" ${colored("", ["color", "ink"])}>${OPEN}</a>`;
  const below = [about, link].filter(Boolean).join(" ");
  return `<div ${colored("padding:8px 0;border-top:1px solid;overflow-wrap:anywhere", ["border-color", "line"])}><div ${colored("", ["color", "ink"])}>${inert(shortened(text))}</div>${below && `<div style="font-size:13px">${below}</div>`}</div>`;
}

const OPEN = "Open in Stillup";

const buttonHtml = ({ text, url }: NonNullable<MailContent["button"]>) =>
  `<p style="margin:24px 0 0"><a href="${encodeXML(url)}" ${colored("display:inline-block;padding:8px 14px;border-radius:7px;font-weight:500;text-decoration:none", ["background", "ink"], ["color", "panel"])}>${escaped(text)}</a></p>`;

function footerHtml(content: MailContent): string {
  const { footer, unsubscribeUrl } = content;
  const lines = footer.map((text) => `<div>${inert(text)}</div>`);
  const way = unsubscribeUrl
    ? `<div><a href="${encodeXML(unsubscribeUrl)}" ${colored("", ["color", "soft"])}>${escaped(unsubscribeText(content))}</a></div>`
    : "";
  return [...lines, way].join("\n");
}
