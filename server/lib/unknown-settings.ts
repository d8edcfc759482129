import leven from "leven";

/** Read by install.sh and by the build of a release, which may leave them exported. */
const OTHERS = ["STILLUP_RELEASE_URL", "STILLUP_RELEASE_KEY", "STILLUP_SIGNING_KEY"];

/**
 * A sentence for each variable that looks like a setting but does not exist, with the nearest name. Its value is left out,
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
    .map((each) => ({ each, distance: leven(partOf(name.toUpperCase()), partOf(each)) }))
    .sort((a, b) => a.distance - b.distance);
  const isNear = nearest && nearest.distance <= largestDistance(nearest.each);
  return isNear
    ? `did you mean ${nearest.each}?`
    : "`stillup serve --print-config` lists all settings.";
}

/** The part that differs between settings. */
const partOf = (name: string) => name.slice("STILLUP_".length);

/** With more changes it is another name; two swapped letters are two changes. */
const largestDistance = (name: string) => Math.max(2, partOf(name).length * 0.3);
