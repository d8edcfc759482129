import type { Argument, Command, Option } from "commander";

/** What may be typed next: a word of ours, and what it is for. */
type Word = { word: string; about: string };

/** What may follow an option: one of these, a file, or anything. */
type Value = { of: string; choices: readonly string[]; isFile: boolean };

/** A place on the command line: after these commands, these may follow. */
export type Place = {
  /** Each with a space before it; empty at the begin. */
  path: string;
  commands: Word[];
  options: Word[];
  values: Value[];
  /** Words that an argument may be. */
  choices: readonly string[];
  takesFile: boolean;
};

/** The program's whole tree of commands, the outermost first. */
export const placesOf = (program: Command): Place[] => walk(program, "");

function walk(command: Command, path: string): Place[] {
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
    takesFile: command.registeredArguments.some(isFile),
  };
  return [place, ...command.commands.flatMap((each) => walk(each, `${path} ${each.name()}`))];
}

function valuesOf(option: Option): Value[] {
  if (!option.required && !option.optional) return [];
  const { long, short, argChoices: choices = [], flags } = option;
  const isFile = /<.*file>$/.test(flags);
  return [long, short].flatMap((of) => (of ? { of, choices, isFile } : []));
}

const isFile = (argument: Argument) => argument.name() === "file";
