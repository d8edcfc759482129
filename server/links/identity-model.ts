import * as z from "zod";
import { toIso, toIsoOrNull } from "../ground/lib/moments.ts";
import { MEMORY_STATES } from "../judge/identity/memory.ts";
import { SIGNS } from "../judge/identity/signs.ts";
import { bitsApart } from "../judge/signals/same-page.ts";
import type { StoredMemory } from "./memories.ts";

/** What is remembered of the page that a link leads to, and how the page of now differs. */
export const IdentityRecord = z
  .object({
    state: z.enum(MEMORY_STATES),
    title: z.string().nullable(),
    title_now: z.string().nullable(),
    first_title: z.string().nullable(),
    language: z.string().nullable(),
    first_at: z.string(),
    compared_at: z.string(),
    distance: z.int().nullable(),
    final_url: z.string().nullable(),
    redirects_since: z.string().nullable(),
    redirects_permanently: z.boolean(),
    kept_parameters: z.array(z.string()),
    doubt: z
      .object({
        signs: z.array(z.object({ rule: z.string(), text: z.string() })),
        since: z.string(),
        seen: z.int(),
      })
      .nullable(),
  })
  .meta({
    id: "Identity",
    description:
      "The page that is remembered, and the one of the last comparison. `distance`: how many of 64 bits of their texts' fingerprints differ; the same page differs by up to 39 after some years, so it alone decides nothing. `final_url` is where the link redirects to, null if it does not.",
    example: {
      state: "known",
      title: "Handbook",
      title_now: "Handbook",
      first_title: null,
      language: "en",
      distance: 2,
      final_url: null,
      redirects_since: null,
      redirects_permanently: false,
      kept_parameters: [],
      doubt: null,
    },
  });

export function toIdentity(memory: StoredMemory): z.infer<typeof IdentityRecord> {
  const { page, now, way, doubts } = memory;
  return {
    state: memory.state,
    title: page?.title ?? null,
    title_now: now?.title ?? null,
    first_title: memory.firstTitle,
    language: page?.language ?? null,
    first_at: toIso(memory.since),
    compared_at: toIso(memory.comparedAt),
    distance: page && now && bitsApart(page.print, now.print),
    final_url: way,
    redirects_since: toIsoOrNull(way === null ? null : memory.waySince),
    redirects_permanently: way !== null && memory.isWayPermanent,
    kept_parameters: memory.kept,
    doubt: doubts.page
      ? {
          signs: doubts.page.signs.map((rule) => ({ rule, text: SIGNS[rule] })),
          since: toIso(doubts.page.since),
          seen: doubts.page.seen,
        }
      : null,
  };
}
