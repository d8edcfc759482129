import type { Line, Notice } from "./notice.ts";
import { jsonPosted, type Posted } from "./posted.ts";
import { cut, singleLine, webAddress } from "./text.ts";
import type { Severity } from "./words.ts";
import { ADDRESS_ROOM, LINE_ROOM } from "./write.ts";

/**
 * As workflows in Teams take it: a message with an adaptive card, at most 28 KB in all. It stays below half as many
 * characters, since they may be counted as two bytes each. The text of a TextRun is never markup.
 */
export function teamsMessage(notice: Notice): Posted {
  const { title, url, lines, severity, dashboardUrl } = notice;
  const head = { ...run(url === null ? title : `${title}: `), ...BOLD, color: COLORS[severity] };
  const card = {
    $schema: "http://adaptivecards.io/schemas/adaptive-card.json",
    type: "AdaptiveCard",
    version: "1.4",
    body: [
      block([head, ...(url === null ? [] : [addressRun(url, ADDRESS_ROOM)])]),
      ...lines.map((line) => block(runsOf(line))),
    ],
    ...(dashboardUrl && { actions: [{ ...opening(dashboardUrl), title: "Open Stillup" }] }),
  };
  const attachment = { contentType: "application/vnd.microsoft.card.adaptive", content: card };
  return jsonPosted(JSON.stringify({ type: "message", attachments: [attachment] }));
}

const BOLD = { weight: "bolder" };

const COLORS: Record<Severity, string> = { bad: "attention", good: "good", plain: "default" };

type Run = { type: "TextRun"; text: string; selectAction?: ReturnType<typeof opening> };

function runsOf({ text, url, rest }: Line): Run[] {
  const after = rest === null ? "" : ` – ${rest}`;
  if (url === null) return [run(text + after)];
  const before = `${text}: `;
  return [
    run(before),
    addressRun(url, LINE_ROOM - before.length - after.length),
    ...(after ? [run(after)] : []),
  ];
}

/** What has no room is cut and is no link then: it would lead elsewhere. */
function addressRun(url: string, room: number): Run {
  const address = webAddress(url);
  if (address === null || address.length > room) return run(cut(address ?? singleLine(url), room));
  return { ...run(address), selectAction: opening(address) };
}

const block = (inlines: Run[]) => ({ type: "RichTextBlock", inlines });

const run = (text: string): Run => ({ type: "TextRun", text });

const opening = (url: string) => ({ type: "Action.OpenUrl", url });
