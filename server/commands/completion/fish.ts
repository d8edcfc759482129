import type { Place } from "./places.ts";

export const fishScript = (places: Place[]) =>
  `# fish completion for stillup
${places.flatMap(linesOf).join("\n")}
`;

function linesOf(place: Place): string[] {
  const { commands, options, choices, takesFile } = place;
  const here = conditionOf(place);
  const files = takesFile || commands.length + choices.length === 0 ? "" : " -f";
  return [
    ...commands.map(({ word, about }) => `${here}${files} -a ${word} -d ${quoted(about)}`),
    ...choices.map((word) => `${here}${files} -a ${word}`),
    ...options.map(({ word, about }) => `${here} ${optionOf(place, word)} -d ${quoted(about)}`),
  ];
}

/** Seen are the commands on the way here, and none that leads further. */
function conditionOf({ path, commands }: Place): string {
  const seen = path
    .split(" ")
    .filter(Boolean)
    .map((name) => `__fish_seen_subcommand_from ${name}`);
  const further = commands.map(({ word }) => word).join(" ");
  const none = path === "" ? "__fish_use_subcommand" : `not __fish_seen_subcommand_from ${further}`;
  const all = path === "" || further !== "" ? [...seen, none] : seen;
  return `complete -c stillup -n ${quoted(all.join("; and "))}`;
}

function optionOf({ values }: Place, word: string): string {
  const name = word.startsWith("--") ? `-l ${word.slice(2)}` : `-s ${word.slice(1)}`;
  const value = values.find(({ of }) => of === word);
  if (!value) return name;
  if (value.isFile) return `${name} -r -F`;
  return value.choices.length === 0
    ? `${name} -x`
    : `${name} -x -a ${quoted(value.choices.join(" "))}`;
}

const quoted = (text: string) => `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
