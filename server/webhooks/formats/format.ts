import type { Format } from "../../db/tables.ts";
import { bodyOf } from "../events/message.ts";
import { discordMessage } from "./discord.ts";
import { type Notice, noticeOf } from "./notice.ts";
import { ntfyMessage } from "./ntfy.ts";
import { jsonPosted, type Posted } from "./posted.ts";
import { slackMessage } from "./slack.ts";
import { teamsMessage } from "./teams.ts";
import { telegramMessage } from "./telegram.ts";
import type { Told } from "./told.ts";

export type { Posted } from "./posted.ts";
export type { DigestData, Told } from "./told.ts";

/** What a webhook of this format is sent. The same for every attempt, as long as the webhook's URL is the same. */
export function postedAs(
  format: Format,
  told: Told,
  to: { url: string; webhookId: string; publicUrl: string | null },
): Posted {
  if (format === "standard") return jsonPosted(bodyOf(told, to.webhookId));
  return MESSAGES[format](noticeOf(told, to.publicUrl), to.url);
}

const MESSAGES: Record<Exclude<Format, "standard">, (notice: Notice, url: string) => Posted> = {
  slack: slackMessage,
  discord: discordMessage,
  teams: teamsMessage,
  telegram: telegramMessage,
  ntfy: ntfyMessage,
};
