import { compilePattern, normalize, targetOf } from "../../judge/robots-rules.ts";

/** The lists of a source's settings. */
export type Patterns = { include: readonly string[]; exclude: readonly string[] };

/** Says what is wrong with a pattern that could never match; null if nothing is. */
export function patternProblem(pattern: string): string | null {
  if (pattern.length > 2048) return "must have at most 2048 characters";
  if (/\p{Cc}/u.test(pattern)) return "must not contain control characters";
  return /^([/*]|https?:|http\*)/i.test(pattern)
    ? null
    : "must begin with /, with * or with http:// or https://";
}

/** Whether a pattern is compared with all of a URL, and so names a host. */
export const isWhole = (pattern: string): boolean => /^http/i.test(pattern);

/** Whether any pattern matches a page: its path and query, or all of its URL where the pattern begins with `http`. */
export function compileUrlPatterns(patterns: readonly string[]): (url: URL) => boolean {
  const ofUrls = patterns.filter(isWhole).map(compilePattern);
  const ofPaths = patterns.filter((pattern) => !isWhole(pattern)).map(compilePattern);
  return (url) => {
    if (ofPaths.length > 0) {
      const target = targetOf(url);
      if (ofPaths.some(({ matches }) => matches(target))) return true;
    }
    if (ofUrls.length === 0) return false;
    const whole = normalize(url.href.slice(0, url.href.length - url.hash.length));
    return ofUrls.some(({ matches }) => matches(whole));
  };
}

/** Whether any pattern matches the path of a file, which has no slash in front. */
export function compileFilePatterns(patterns: readonly string[]): (path: string) => boolean {
  const compiled = patterns.map((pattern) =>
    compilePattern(/^[/*]/.test(pattern) ? pattern : `/${pattern}`),
  );
  return (path) => {
    const target = normalize(`/${path}`);
    return compiled.some(({ matches }) => matches(target));
  };
}

/** Combines both lists: without `include` everything is included, and what is excluded never is. */
export function choose<T>(
  { include, exclude }: Patterns,
  compile: (patterns: readonly string[]) => (one: T) => boolean,
): (one: T) => boolean {
  const isIncluded = include.length === 0 ? () => true : compile(include);
  const isExcluded = compile(exclude);
  return (one) => isIncluded(one) && !isExcluded(one);
}
