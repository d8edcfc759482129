import { Argument, type Command } from "commander";
import type { Cli } from "./cli.ts";
import { bashScript } from "./completion/bash.ts";
import { fishScript } from "./completion/fish.ts";
import { placesOf } from "./completion/places.ts";
import { zshScript } from "./completion/zsh.ts";

const SCRIPTS = { bash: bashScript, zsh: zshScript, fish: fishScript };
type Shell = keyof typeof SCRIPTS;

export function addCompletion(program: Command, cli: Cli) {
  program
    .command("completion")
    .description("print what makes a shell complete our commands")
    .addArgument(new Argument("<shell>", "the shell").choices(Object.keys(SCRIPTS)))
    .addHelpText(
      "after",
      `
bash   source <(stillup completion bash)        in ~/.bashrc
zsh    source <(stillup completion zsh)         in ~/.zshrc, after compinit
fish   stillup completion fish | source         in ~/.config/fish/config.fish`,
    )
    .action((shell: Shell) => cli.print(SCRIPTS[shell](placesOf(program)).trimEnd()));
}
