import leven from "leven";

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
    .map((each) => ({ each, distance: leven(name.toUpperCase(), each) }))
    .sort((a, b) => a.distance - b.distance);
  const isNear = nearest && nearest.distance <= nearest.each.length * LARGEST_PART;
  return isNear
    ? `did you mean ${nearest.each}?`
    : "`stillup serve --print-config` lists all settings.";
}

/** With more of a name changed, it is another name. */
const LARGEST_PART = 0.3;
