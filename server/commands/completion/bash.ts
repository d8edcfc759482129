import type { Place } from "./places.ts";

/** Starts no program and needs none. Also for the old bash of macOS. */
export const bashScript = (places: Place[]) => `# bash completion for stillup
# shellcheck disable=SC2207 # our words have no spaces
_stillup() {
  local current=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD-1]} at="" words="" i
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$at \${COMP_WORDS[i]}" in
      ${pathsOf(places)}) at="$at \${COMP_WORDS[i]}" ;;
    esac
  done
  COMPREPLY=()
  case "$at|$before" in
${places.flatMap(valueCases).join("\n")}
  esac
  case "$at" in
${places.map(placeCase).join("\n")}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _stillup stillup
`;

const pathsOf = (places: Place[]) =>
  places
    .filter(({ path }) => path !== "")
    .map(({ path }) => `"${path}"`)
    .join(" | ");

/** What is returned without words is completed by bash's own rule, with files, unless that is turned off. */
const valueCases = ({ path, values }: Place) =>
  values.map(({ of, choices, isFile }) => {
    const match = `    "${path}|${of}")`;
    if (isFile) return `${match} return ;;`;
    if (choices.length === 0) return `${match} compopt +o default 2> /dev/null; return ;;`;
    return `${match} COMPREPLY=($(compgen -W "${choices.join(" ")}" -- "$current")); return ;;`;
  });

function placeCase({ path, commands, options, choices }: Place): string {
  const words = [...commands, ...options].map(({ word }) => word).concat(choices);
  return `    "${path}") words="${words.join(" ")}" ;;`;
}
