/** Read by install.sh and by the build of a release, which may leave them exported. */
const OTHERS = ["STILLUP_RELEASE_URL", "STILLUP_RELEASE_KEY", "STILLUP_SIGNING_KEY"];

/**
 * A sentence for each variable that looks like a setting and is none, with the nearest name. Its value is left out,
 * since it may be a secret.
 * @param known the names of all settings, which begin with `STILLUP_`
 */
export function unknownSettings(env: Record<string, unknown>, known: string[]): string[] {
  const names = Object.keys(env).filter((name) => /^STILLUP_/i.test(name));
  return names
    .filter((name) => ![...known, ...OTHERS].includes(name))
    .map((name) => `${name} is not a setting; ${hintFor(name, known)}`);
}

function hintFor(name: string, known: string[]): string {
  const [nearest] = known
    .map((each) => ({ each, distance: editDistance(name.toUpperCase(), each) }))
    .sort((a, b) => a.distance - b.distance);
  const isNear = nearest && nearest.distance <= nearest.each.length * LARGEST_PART;
  return isNear
    ? `did you mean ${nearest.each}?`
    : "`stillup serve --print-config` lists all settings.";
}

/** With more of a name changed, it is another name. */
const LARGEST_PART = 0.3;
/** Longer names are compared by their beginning. */
const LONGEST = 100;

/** How many characters must be added, removed or replaced (Levenshtein). */
function editDistance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, i) => i);
  for (const [i, character] of [...one.slice(0, LONGEST)].entries()) {
    const next = [i + 1];
    for (let j = 0; j < other.length; j++) {
      const replaced = row[j]! + (character === other[j] ? 0 : 1);
      next.push(Math.min(replaced, row[j + 1]! + 1, next[j]! + 1));
    }
    row = next;
  }
  return row.at(-1)!;
}
