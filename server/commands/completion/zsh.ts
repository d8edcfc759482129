import type { Place } from "./places.ts";

export const zshScript = (places: Place[]) => `#compdef stillup
_stillup() {
  local at="" i
  local -a commands options
  for ((i = 2; i < CURRENT; i++)); do
    case "$at $words[i]" in
      ${pathsOf(places)}) at="$at $words[i]" ;;
    esac
  done
  case "$at|$words[CURRENT-1]" in
${places.flatMap(valueCases).join("\n")}
  esac
  case "$at" in
${places.map(placeCase).join("\n")}
  esac
  if [[ $words[CURRENT] == -* ]]; then
    _describe -o option options
    return
  fi
  (( $#commands )) && _describe command commands
}
compdef _stillup stillup
`;

const pathsOf = (places: Place[]) =>
  places
    .filter(({ path }) => path !== "")
    .map(({ path }) => quoted(path))
    .join(" | ");

const valueCases = ({ path, values }: Place) =>
  values.map(({ of, choices, isFile }) => {
    const match = `    ${quoted(`${path}|${of}`)})`;
    if (isFile) return `${match} _files; return ;;`;
    if (choices.length === 0) return `${match} return ;;`;
    return `${match} compadd -- ${choices.join(" ")}; return ;;`;
  });

function placeCase({ path, commands, options, choices, takesFile }: Place): string {
  const listed = (words: { word: string; about: string }[]) =>
    words.map(({ word, about }) => quoted(`${word}:${about}`)).join(" ");
  const named = commands.concat(choices.map((word) => ({ word, about: "" })));
  const files = takesFile ? " [[ $words[CURRENT] == -* ]] || _files" : "";
  return `    ${quoted(path)})
      commands=(${listed(named)})
      options=(${listed(options)})
     ${files} ;;`;
}

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
