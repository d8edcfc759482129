import { Argument, type Command, type Option } from "commander";
import type { Cli } from "./cli.ts";

const SCRIPTS = { bash: bashScript, zsh: zshScript, fish: fishScript };
type Shell = keyof typeof SCRIPTS;

export function addCompletion(program: Command, cli: Cli) {
  program
    .command("completion")
    .description("print a script that completes the commands in a shell")
    .addArgument(new Argument("<shell>", "the shell").choices(Object.keys(SCRIPTS)))
    .addHelpText(
      "after",
      `
bash   source <(stillup completion bash)        in ~/.bashrc
zsh    source <(stillup completion zsh)         in ~/.zshrc, after compinit
fish   stillup completion fish | source         in ~/.config/fish/config.fish`,
    )
    .action((shell: Shell) => cli.print(SCRIPTS[shell](placesIn(program, "")).trimEnd()));
}

/** A word that can be typed next, with its description. */
type Word = { word: string; about: string };

/** What may follow an option: one of the choices, a file, or anything. */
type Value = { of: string; choices: readonly string[]; isFile: boolean };

/** A place on the command line, and what may follow there. */
type Place = {
  /** The commands before it, each after a space; empty at the start. */
  path: string;
  commands: Word[];
  options: Word[];
  values: Value[];
  /** Words that an argument may be. */
  choices: readonly string[];
  takesFile: boolean;
};

/** The places of a command and of all commands below it. */
function placesIn(command: Command, path: string): Place[] {
  const help = command.createHelp();
  const commands = help.visibleCommands(command);
  const options = help.visibleOptions(command);
  const place: Place = {
    path,
    commands: commands.map((each) => ({ word: each.name(), about: each.description() })),
    options: options.map(({ long, short, description }) => ({
      word: long ?? short ?? "",
      about: description,
    })),
    values: options.flatMap(valuesOf),
    choices: command.registeredArguments.flatMap(({ argChoices = [] }) => argChoices),
    takesFile: command.registeredArguments.some((argument) => argument.name() === "file"),
  };
  return [place, ...command.commands.flatMap((each) => placesIn(each, `${path} ${each.name()}`))];
}

function valuesOf(option: Option): Value[] {
  if (!option.required && !option.optional) return [];
  const { long, short, argChoices: choices = [], flags } = option;
  const isFile = /<.*file>$/.test(flags);
  return [long, short].flatMap((of) => (of ? { of, choices, isFile } : []));
}

/** Runs no program. Also works in the old bash of macOS. */
function bashScript(places: Place[]): string {
  const paths = places.filter(({ path }) => path !== "").map(({ path }) => `"${path}"`);
  return `# bash completion for stillup
# shellcheck disable=SC2207 # our words have no spaces
_stillup() {
  local current=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD-1]} at="" words="" i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$at \${COMP_WORDS[i]}" in
      ${paths.join(" | ")}) at="$at \${COMP_WORDS[i]}" ;;
    esac
  done
  COMPREPLY=()
  case "$at|$before" in
${places.flatMap(bashValues).join("\n")}
  esac
  case "$at" in
${places.map(bashPlace).join("\n")}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _stillup stillup
`;
}

/** Without words, bash completes files by default, so that is turned off for values of any other kind. */
const bashValues = ({ path, values }: Place) =>
  values.map(({ of, choices, isFile }) => {
    const match = `    "${path}|${of}")`;
    if (isFile) return `${match} return ;;`;
    if (choices.length === 0) return `${match} compopt +o default 2> /dev/null; return ;;`;
    return `${match} COMPREPLY=($(compgen -W "${choices.join(" ")}" -- "$current")); return ;;`;
  });

function bashPlace({ path, commands, options, choices }: Place): string {
  const words = [...commands, ...options].map(({ word }) => word).concat(choices);
  return `    "${path}") words="${words.join(" ")}" ;;`;
}

function zshScript(places: Place[]): string {
  const paths = places.filter(({ path }) => path !== "").map(({ path }) => zshQuoted(path));
  return `#compdef stillup
_stillup() {
  local at="" i
  local -a commands options
  for ((i = 2; i < CURRENT; i++)); do
    case "$at $words[i]" in
      ${paths.join(" | ")}) at="$at $words[i]" ;;
    esac
  done
  case "$at|$words[CURRENT-1]" in
${places.flatMap(zshValues).join("\n")}
  esac
  case "$at" in
${places.map(zshPlace).join("\n")}
  esac
  if [[ $words[CURRENT] == -* ]]; then
    _describe -o option options
    return
  fi
  (( $#commands )) && _describe command commands
}
compdef _stillup stillup
`;
}

const zshValues = ({ path, values }: Place) =>
  values.map(({ of, choices, isFile }) => {
    const match = `    ${zshQuoted(`${path}|${of}`)})`;
    if (isFile) return `${match} _files; return ;;`;
    if (choices.length === 0) return `${match} return ;;`;
    return `${match} compadd -- ${choices.join(" ")}; return ;;`;
  });

function zshPlace({ path, commands, options, choices, takesFile }: Place): string {
  const listed = (words: Word[]) =>
    words.map(({ word, about }) => zshQuoted(`${word}:${about}`)).join(" ");
  const named = commands.concat(choices.map((word) => ({ word, about: "" })));
  const files = takesFile ? " [[ $words[CURRENT] == -* ]] || _files" : "";
  return `    ${zshQuoted(path)})
      commands=(${listed(named)})
      options=(${listed(options)})
     ${files} ;;`;
}

const zshQuoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

function fishScript(places: Place[]): string {
  return `# fish completion for stillup
${places.flatMap(fishLines).join("\n")}
`;
}

function fishLines(place: Place): string[] {
  const { commands, options, choices, takesFile } = place;
  const here = fishCondition(place);
  const files = takesFile || commands.length + choices.length === 0 ? "" : " -f";
  return [
    ...commands.map(({ word, about }) => `${here}${files} -a ${word} -d ${fishQuoted(about)}`),
    ...choices.map((word) => `${here}${files} -a ${word}`),
    ...options.map(
      ({ word, about }) => `${here} ${fishOption(place, word)} -d ${fishQuoted(about)}`,
    ),
  ];
}

/** The line has the commands of the path, and none of those below it. */
function fishCondition({ path, commands }: Place): string {
  const names = path.split(" ").filter(Boolean);
  const seen = names.map((name) => `__fish_seen_subcommand_from ${name}`);
  const further = commands.map(({ word }) => word).join(" ");
  const none = path === "" ? "__fish_use_subcommand" : `not __fish_seen_subcommand_from ${further}`;
  const all = path === "" || further !== "" ? [...seen, none] : seen;
  return `complete -c stillup -n ${fishQuoted(all.join("; and "))}`;
}

function fishOption({ values }: Place, word: string): string {
  const name = word.startsWith("--") ? `-l ${word.slice(2)}` : `-s ${word.slice(1)}`;
  const value = values.find(({ of }) => of === word);
  if (!value) return name;
  if (value.isFile) return `${name} -r -F`;
  const { choices } = value;
  return choices.length === 0 ? `${name} -x` : `${name} -x -a ${fishQuoted(choices.join(" "))}`;
}

const fishQuoted = (text: string) => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
