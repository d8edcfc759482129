/** The part of commonmark-spec 0.31.2 that is used here; the package carries no types. */
declare module "commonmark-spec" {
  export const tests: { markdown: string; html: string; section: string; number: number }[];
}
