import { plain } from "../../../ground/lib/text.ts";
import { messageAt } from "../findings.ts";
import { problemsOf, type Report, type Row } from "./report.ts";

/** A first line by which a job finds its own comment. */
const MARK = "<!-- stillup -->";

/** GitHub takes comments up to 65,536 characters. */
const LONGEST_COMMENT = 65_000;
const FOLDED_FROM = 20;

/** A table of what is not active, for a comment or a summary. */
export function markdownReport(report: Report, longest = LONGEST_COMMENT): string {
  const rows = problemsOf(report).filter(({ place }) => !place.isKnown);
  const head = `${MARK}\n**${report.summary}**\n`;
  if (rows.length === 0) return head;
  const [open, close] = rows.length >= FOLDED_FROM ? [FOLD, "\n</details>\n"] : ["", ""];
  const titles = "\n| place | link | |\n|---|---|---|\n";
  const lines: string[] = [];
  let room = longest - [head, open, titles, close].join("").length - 50;
  for (const row of rows) {
    const line = lineOf(row, report);
    room -= line.length;
    if (room < 0) break;
    lines.push(line);
  }
  const left = rows.length - lines.length;
  const rest = left > 0 ? `\n${left.toLocaleString("en")} more are not shown.\n` : "";
  return `${head}${open}${titles}${lines.join("")}${rest}${close}`;
}

const FOLD = "\n<details><summary>All places</summary>\n";

function lineOf({ finding, place, name }: Row, { env }: Report): string {
  const where = `${code(`${name}:${place.line}`)}`;
  const link = linkTo(name, place.line, env);
  const words = place.text === "" ? "" : ` ${code(place.text)}`;
  return `| ${link ? `[${where}](${link})` : where} | ${code(finding.url)}${words} | ${
    finding.status
  }: ${escaped(messageAt(finding, place))} |\n`;
}

/** Text from a document must not write anything else into a comment. */
const code = (text: string) => `\`${oneLine(text).replaceAll("`", "'").replaceAll("|", "\\|")}\``;

const escaped = (text: string) => oneLine(text).replace(/[\\`*_{}[\]<>|#&!~@]/g, "\\$&");

const oneLine = (text: string) => plain(text).trim() || " ";

/** The line in the repository of a job on GitHub. */
function linkTo(name: string, line: number, env: Report["env"]): string | null {
  const { GITHUB_SERVER_URL: server, GITHUB_REPOSITORY: repository, GITHUB_SHA: sha } = env;
  if (!server || !repository || !sha) return null;
  const path = name.split("/").map(encodeURIComponent).join("/").replace(/[()]/g, percent);
  return `${server}/${repository}/blob/${sha}/${path}?plain=1#L${line}`;
}

const percent = (sign: string) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`;
