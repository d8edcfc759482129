import { Elysia } from "elysia";
import type * as z from "zod";
import { AppError, toErrorBody } from "../../ground/lib/errors.ts";
import { LARGE_BODY_LIMIT } from "../../http/caller.ts";
import { edge } from "../../http/edge.ts";
import { Suggestions, toLookup, toSuggestion } from "../../links/suggestions/model.ts";
import type { Deps } from "../../work/deps.ts";
import { findBest } from "./best.ts";
import { lookAgain, openSuggestions } from "./look-again.ts";
import { LookAgainBody, SuggestedUrls, SuggestionsForUrls } from "./model.ts";
import type { findSuggestions } from "./read.ts";

/** What could stand in the place of links. */
export const suggestionRoutes = (deps: Deps) => {
  const { read, ask, postInSteps } = edge(deps);
  return new Elysia({ prefix: "/links", tags: ["Suggestions"] })
    .get(
      ...read(
        "/:id/suggestions",
        (deps, { caller, params }) => openSuggestions(deps, caller, params.id),
        {
          operationId: "listSuggestions",
          summary: "List what could stand in the place of a link, the best first",
          description:
            "Every address was requested and judged alive by the rules of checks; `checked_at` is when. Of a link that is alive it is the address to which it has moved for good. When a person opens a dead link, it is looked for before others, and what was found more than a week ago is looked for again.",
          reply: Suggestions,
          toReply: toSuggestions,
        },
      ),
    )
    .post(
      ...postInSteps(
        "/:id/suggestions",
        (deps, { caller, params: { id }, body: { archive = false } }, save) =>
          lookAgain(deps, caller, { id, archive }, save),
        {
          operationId: "lookForSuggestions",
          summary: "Look again for what could stand in the place of a dead link",
          description:
            "Replies with what is known now; `lookup` shows how the search stands. With `archive` an archive is asked also about a URL that may be private, by which it learns the URL. 10 a minute for an account. 409 with `not_dead` for a link that is not dead, and with `archive_off` if the account or the server does not use archives.",
          body: LookAgainBody,
          reply: Suggestions,
          toReply: toSuggestions,
        },
      ),
    )
    .post(
      ...ask(
        "/suggestions",
        async (deps, { caller, body: { urls } }) =>
          toResults(urls, await findBest(deps, caller, urls)),
        {
          operationId: "findSuggestions",
          summary: "Ask what could stand in the place of up to 1,000 URLs",
          description:
            "Nothing is requested and nothing is changed, so a key that may only read is enough. Returns the best that is known of each. URLs that the account does not watch have `known: false`. A URL that cannot be checked has an `error`. Fragments are ignored.",
          access: "read",
          bodyLimit: LARGE_BODY_LIMIT,
          body: SuggestedUrls,
          reply: SuggestionsForUrls,
          toReply: (results) => ({ results }),
        },
      ),
    );
};

const toSuggestions = ({
  items,
  lookup,
}: Awaited<ReturnType<typeof findSuggestions>>): z.infer<typeof Suggestions> => ({
  items: items.map(toSuggestion),
  lookup: lookup && toLookup(lookup),
});

const toResults = (urls: string[], found: Awaited<ReturnType<typeof findBest>>) =>
  found.map((item, index) => {
    const known = item === null || item instanceof AppError ? null : item;
    return {
      index,
      url: urls[index]!,
      known: known !== null,
      link_id: known?.linkId ?? null,
      status: known?.status ?? null,
      accepted_url: known?.acceptedUrl ?? null,
      suggestion: known?.suggestion ? toSuggestion(known.suggestion) : null,
      error: item instanceof AppError ? toErrorBody(item) : null,
    };
  });
