/** The keys under which programs look for the address of a page. */
const ADDRESS =
  /^(?:slug|url|permalink|alias(?:es)?|redirect_from|redirects?|path|id)\s*[:=]\s*(.*)$/;

const MOST = 100;

/**
 * Returns the addresses of a page in its front matter, which is YAML or TOML: of both, only the lines that matter are
 * read, texts and lists of texts.
 */
export function addressesInFront(front: string): string[] {
  const found: string[] = [];
  let isList = false;
  for (const line of front.split("\n")) {
    const [, value] = ADDRESS.exec(line) ?? [];
    if (value !== undefined) {
      isList = value.trim() === "" || /^\[[^\]]*$/.test(value);
      found.push(...textsIn(value));
    } else if (isList && /^\s*(?:-\s|["'\]])/.test(line)) {
      found.push(...textsIn(line.replace(/^\s*-\s/, "")));
    } else if (/\S/.test(line)) isList = false;
  }
  return [...new Set(found)].slice(0, MOST);
}

/** The texts of `a`, `"a"`, `[a, 'b']` and of one line of a list. */
const textsIn = (value: string): string[] =>
  value
    .replace(/\s#\s.*$/, "")
    .trim()
    .replace(/^\[|\]?,?$/g, "")
    .split(",")
    .map((each) => each.trim().replace(/^(["'])(.*)\1$/, "$2"))
    .filter((each) => each !== "" && each !== "]");
