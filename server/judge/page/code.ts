import { rawTextSigns } from "./elements.ts";
import { createMarkupReader, createOpenElements, type Name, nameOf } from "./markup.ts";

/** What a browser acts on: tags as written, and scripts in their order. */
type Code = { tags: string; scripts: string };

/** Elements whose content is shown as text, also where it is written as tags. */
const QUOTING: ReadonlyMap<Name, true> = new Map(
  ["pre", "code", "samp", "template"].map((name) => [nameOf(name), true]),
);
const SCRIPT = nameOf("script");

/** Separates the tags and the scripts of a page from its text, comments, and quoted code. */
export function codeOf(markup: string): Code {
  const code: Code = { tags: "", scripts: "" };
  const elements = createOpenElements(QUOTING);
  let quoting = 0;
  let isScript = false;
  const reader = createMarkupReader({
    text(rest, from, to) {
      if (isScript) code.scripts += rest.slice(from, to);
    },
    start(name, rest, from, to) {
      const element = elements.named(name);
      if (element.kind) {
        elements.open(element);
        quoting += 1;
      } else if (quoting === 0) code.tags += rest.slice(rest.lastIndexOf("<", from), to + 1);
      isScript = name === SCRIPT && quoting === 0;
      return rawTextSigns(name);
    },
    end(name) {
      if (isScript) code.scripts += "\n";
      isScript = false;
      const element = elements.named(name);
      if (!element.kind || element.open === 0) return;
      elements.close(element);
      quoting = elements.depth();
    },
    other() {},
    isForeign: () => false,
  });
  reader.take(markup);
  reader.end();
  return code;
}

/** Whether a place in a script is in a string literal or a comment (ECMA-262 §12.4, §12.9.4). */
export function isQuoted(script: string, place: number): boolean {
  let end = "";
  for (let at = 0; at < place; at += 1) {
    const sign = script[at]!;
    const next = script[at + 1];
    if (end === "") {
      if (sign === '"' || sign === "'" || sign === "`") end = sign;
      else if (sign === "/" && next === "/") end = "\n";
      else if (sign === "/" && next === "*") end = "*/";
    } else if (sign === "\\" && end.length === 1 && end !== "\n") at += 1;
    else if (script.startsWith(end, at)) {
      at += end.length - 1;
      end = "";
    } else if (sign === "\n" && (end === '"' || end === "'")) end = "";
  }
  return end !== "";
}
