import type { Config } from "../config/config.ts";
import type { Item } from "../links/imports/item.ts";
import { vetTarget } from "../net/address.ts";
import type { CheckOptions } from "./check.ts";
import { UsageError } from "./cli.ts";
import { type Io, plain } from "./io.ts";
import { readParts } from "./list-source.ts";

/**
 * What is named on the command line, and then each link of the list once.
 * @throws UsageError for what is no URL, before anything is checked
 */
export async function urlsOf(
  io: Io,
  config: Config,
  given: string[],
  { file, format }: CheckOptions,
): Promise<string[]> {
  for (const url of given) refuseNoUrl(config, url, "");
  if (file === undefined) return given;
  const urls = new Set(given);
  for await (const { items, sitemaps } of readParts(io, file, format)) {
    if (sitemaps.length > 0) {
      throw new UsageError("An index of sitemaps has no pages itself; give one of its sitemaps.");
    }
    for (const item of items) if (isLink(io, item)) urls.add(vetted(config, item));
  }
  return [...urls];
}

/** Items that are not links are reported and left out. */
function isLink(io: Io, { line, url, problem }: Item): boolean {
  if (problem) io.stderr.write(`${plain(`Line ${line}: ${url} left out. ${problem}`)}\n`);
  return !problem;
}

function vetted(config: Config, { url, line }: Item): string {
  refuseNoUrl(config, url, `Line ${line}: `);
  return url;
}

/** What may not be reached is judged by the check; what is no URL is a mistake. */
function refuseNoUrl({ checkAllowedHosts, checkBlockedHosts }: Config, url: string, where: string) {
  const target = vetTarget(url, { allowed: checkAllowedHosts, blocked: checkBlockedHosts });
  if (target.ok || target.reason === "target_forbidden") return;
  throw new UsageError(`${where}${JSON.stringify(url)} ${target.problem}`);
}
