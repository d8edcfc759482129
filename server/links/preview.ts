import type { Caller } from "../api/caller.ts";
import type { AppError } from "../lib/errors.ts";
import { yieldToEventLoop } from "../lib/steps.ts";
import { serviceIdOf } from "../verdict/services/catalogue.ts";
import type { Deps } from "../work/deps.ts";
import { judgeItems } from "./judge.ts";
import { readItems } from "./read-items.ts";

/** What would become of one item: the URL as it would be stored, or the one given with its error. */
export type Preview = { url: string; service: string } | { url: unknown; error: AppError };

/**
 * Judges items exactly as `createLinks` would, and writes nothing.
 * @param already how many links earlier parts of the same list would have added
 */
export async function previewLinks(
  deps: Deps,
  caller: Caller,
  inputs: unknown[],
  already: number,
): Promise<Preview[]> {
  const items = await readItems(deps, caller, inputs);
  await yieldToEventLoop();
  const judged = await judgeItems(deps, caller, items, { place: "list", already });
  await yieldToEventLoop();
  return judged.map((item) =>
    "error" in item
      ? { url: item.given, error: item.error }
      : { url: item.url.href, service: serviceIdOf(deps.catalogue, item.url) },
  );
}
