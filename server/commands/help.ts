import { Argument, type Command } from "commander";
import { UsageError } from "./cli.ts";

/** Commander's own explains the first word only, and `key` where `key create` was asked for. */
export function addHelp(program: Command) {
  const words = new Argument("[command...]");
  // For completion; checked they are by us, since only the first of several has to be one of them.
  words.argChoices = program.commands.map((each) => each.name());
  program
    .command("help")
    .description("explain a command")
    .addArgument(words)
    .action((given: string[]) => given.reduce(commandOf, program).outputHelp());
}

function commandOf(parent: Command, word: string, place: number, words: string[]): Command {
  const found = parent.commands.find((each) => each.name() === word);
  if (found) return found;
  throw new UsageError(`There is no command "${words.slice(0, place + 1).join(" ")}"`);
}
