import type { Config } from "../ground/config/config.ts";
import { newIdAt } from "../ground/lib/ids.ts";
import type { Mail, MailOutcome } from "../ground/net/mail.ts";
import { renderMail } from "./layout.ts";

/** A message that shows that the mail server works. @param at milliseconds since 1970 */
export const testMail = (
  { publicUrl }: Pick<Config, "publicUrl">,
  to: string,
  at: number,
): Mail => ({
  kind: "test",
  id: `test_${newIdAt(at)}`,
  to,
  fromName: "Stillup",
  at,
  ...renderMail({
    subject: "Test message from Stillup",
    heading: "E-mail works",
    tone: "good",
    paragraphs: [`This test message comes from ${publicUrl}. The mail server has accepted it.`],
    button: { text: "Open Stillup", url: publicUrl! },
    footer: ["Someone who runs this server asked for this message."],
  }),
});

/** What came of it, in one sentence. */
export function outcomeSentence(sent: MailOutcome): string {
  if (sent.kind === "timeout") return "The mail server did not answer in time.";
  if (sent.kind === "aborted") return "The message was not sent, since the server stops.";
  if (sent.kind === "server") return `The mail server does not accept mail: ${sent.reply}`;
  if (sent.what === "sent") return `The mail server accepted the message: ${sent.reply}`;
  const when = sent.what === "later" ? " for now" : "";
  return `The mail server refused the message${when}: ${sent.reply}`;
}
