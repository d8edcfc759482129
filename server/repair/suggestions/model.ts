import * as z from "zod";
import { flag, list } from "../../ground/lib/fields.ts";
import { VERDICTS } from "../../ground/lib/vocabulary.ts";
import { ItemError } from "../../links/model.ts";
import { Suggestion } from "../../links/suggestions/model.ts";

const MOST_URLS = 1000;

export const SuggestedUrls = z.object(
  {
    urls: list(z.string("must be a text"), MOST_URLS).meta({
      example: ["https://docs.example.org/setup"],
    }),
  },
  "must be a JSON object",
);

/** What could stand in the place of each of several URLs. */
export const SuggestionsForUrls = z
  .object({
    results: z.array(
      z.object({
        index: z.int().meta({ example: 0 }),
        url: z.string().meta({ example: "https://docs.example.org/setup" }),
        known: z.boolean().meta({ description: "Whether the account watches the URL." }),
        link_id: z.uuid().nullable(),
        status: z.enum(VERDICTS).nullable().meta({ example: "dead" }),
        accepted_url: z.string().nullable().meta({
          description: "The URL that a person wants in the place of this one. It comes first.",
          example: null,
        }),
        suggestion: Suggestion.nullable().meta({
          description: "The best one. While the link is alive, where it has moved to for good.",
        }),
        error: ItemError.nullable().meta({ example: null }),
      }),
    ),
  })
  .meta({ id: "SuggestionsForUrls" });

export const LookAgainBody = z
  .object(
    {
      archive: flag()
        .meta({
          description: "`true`: an archive is asked also about a URL that may be private.",
        })
        .optional(),
    },
    "must be a JSON object",
  )
  .meta({ example: {} });
