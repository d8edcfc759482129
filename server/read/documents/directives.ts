import type { FoundLink } from "./document.ts";

/** A comment that leaves links out, such as `stillup-disable-line`. */
export type Directive = { kind: string; line: number };

const DIRECTIVE = /^\s*stillup-(disable|enable|disable-line|disable-next-line)\s*$/;

/** Returns the directive that is all of a comment. */
export function directiveIn(comment: string, line: number): Directive | null {
  const kind = DIRECTIVE.exec(comment)?.[1];
  return kind === undefined ? null : { kind, line };
}

/**
 * Removes links as directives say: those on the same line, on the next line, or all from the line of `disable` to that
 * of `enable`. Links and directives are in the order of the text.
 */
export function withoutDisabled(
  links: FoundLink[],
  directives: Directive[],
): { links: FoundLink[]; disabled: number } {
  if (directives.length === 0) return { links, disabled: 0 };
  const lines = new Set<number>();
  const switches = directives.filter(({ kind, line }) => {
    if (kind === "disable-line") lines.add(line);
    if (kind === "disable-next-line") lines.add(line + 1);
    return kind === "disable" || kind === "enable";
  });
  let [next, isOff] = [0, false];
  const left = links.filter(({ line }) => {
    for (; next < switches.length; next++) {
      const { kind, line: at } = switches[next]!;
      // A link on the line of `enable` is still left out.
      if (kind === "disable" ? at > line : at >= line) break;
      isOff = kind === "disable";
    }
    return !isOff && !lines.has(line);
  });
  return { links: left, disabled: links.length - left.length };
}
