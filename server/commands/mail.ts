import type { Command } from "commander";
import { systemClock } from "../ground/lib/clock.ts";
import { readMailAddress } from "../ground/lib/mail-address.ts";
import { openMailServer } from "../mail/server.ts";
import { outcomeSentence, testMail } from "../mail/test-mail.ts";
import { type Cli, UsageError } from "./cli.ts";
import { plain } from "./io.ts";

type Options = { to: string; json?: true };

export function addMail(program: Command, cli: Cli) {
  program
    .command("mail")
    .description("try the mail server of the settings")
    .command("test")
    .description("send a test message and print the dialogue; exit 1 if it is not accepted")
    .requiredOption("--to <email>", "who gets the message")
    .option("--json", "print one JSON object instead")
    .action((options: Options) => test(cli, options));
}

async function test(cli: Cli, { to, json }: Options) {
  const address = readMailAddress(to);
  if (!address.ok) throw new UsageError(`--to: the address ${address.problem}.`);
  const config = await cli.config();
  const dialogue: string[] = [];
  let isOver = false;
  const server = openMailServer(config, systemClock, {
    onProblem: () => {},
    onDialogue(line) {
      // The connection is closed later, when standard output has ended.
      if (isOver) return;
      dialogue.push(line);
      if (!json) cli.print(plain(line));
    },
  });
  if (!server) {
    throw new Error(
      "E-mail is off. Set STILLUP_SMTP_HOST, STILLUP_SMTP_FROM and STILLUP_PUBLIC_URL.",
    );
  }
  const sent = await server.send(testMail(config, address.address, systemClock.now()));
  isOver = true;
  server.close();
  const ok = sent.kind === "replied" && sent.what === "sent";
  const sentence = outcomeSentence(sent);
  if (json) cli.print(JSON.stringify({ ok, message: sentence, dialogue }));
  if (!ok) {
    if (!json) throw new Error(sentence);
    cli.exitCode = 1;
  } else if (!json) cli.print(plain(sentence));
}
