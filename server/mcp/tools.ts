import * as z from "zod";
import { countChanges } from "../accounts/audit.ts";
import { oneAtATime } from "../ground/lib/concurrency.ts";
import { AppError } from "../ground/lib/errors.ts";
import { moment } from "../ground/lib/fields.ts";
import { toIso } from "../ground/lib/moments.ts";
import { checkUrls } from "./check-urls.ts";
import type { Operations } from "./operations.ts";
import { setHandling } from "./set-handling.ts";
import type { Session, Tool } from "./tool.ts";

const DAY_MS = 86_400_000;
const MOST_URLS = 100;
const MOST_DELETED = 20;
const MOST_DELETED_IN_DAY = 100;

/** Of lists that are parts of a result. */
const FIRST = { per_page: 20 };

type Of = (operations: Operations) => Tool;

/** Every tool, in the order in which an assistant reads them. */
export const toolsOf = (operations: Operations): Tool[] =>
  [
    overview,
    findLinks,
    getLink,
    judgeUrls,
    checkUrlsNow,
    addLinks,
    setHandling,
    setUrl,
    checkLinks,
    deleteLinks,
  ].map((toolOf) => toolOf(operations));

const overview: Of = (operations) => ({
  name: "overview",
  title: "Overview",
  description:
    "What needs attention: counts, dead links by site and cause, changes since a moment, failing alerts and sources, certificates that expire. Use it first, and to answer how things are. `since` is 7 days ago by default.",
  input: z.object({
    since: moment().meta({ description: "Shows changes from this moment on." }).optional(),
  }),
  output: z.object({
    overview: operations("getOverview").reply,
    attention: operations("listAttention").reply,
    changes: operations("listChanges").reply,
    upcoming: operations("getUpcoming").reply,
  }),
  does: "reads",
  async call({ ask, deps }, { since = toIso(deps.clock.now() - 7 * DAY_MS) }) {
    const [overview, attention, changes, upcoming] = await Promise.all([
      ask("getOverview"),
      ask("listAttention", { query: FIRST }),
      ask("listChanges", { query: { ...FIRST, since } }),
      ask("getUpcoming"),
    ]);
    return { overview, attention, changes, upcoming };
  },
  says: ({ overview: { counts } }) =>
    `${counts.total} links: ${counts.active} alive, ${counts.dead} dead, ${counts.unknown} unknown; ${counts.attention} need attention.`,
});

const findLinks: Of = (operations) => ({
  name: "find_links",
  title: "Find links",
  description:
    "Lists watched links by status, reason, site, group, tag, source, text or handling. Use it to get the ids that other tools need. Filters are combined with AND; `attention: true` lists the dead links that are neither acknowledged nor muted.",
  input: operations("listLinks").query,
  isQuery: true,
  output: operations("listLinks").reply,
  does: "reads",
  call: ({ ask }, query) => ask("listLinks", { query }),
  says: ({ pagination: { page, total, total_pages: pages } }) =>
    `Page ${page} of ${pages}; ${total} links in all.`,
});

const getLink: Of = (operations) => ({
  name: "get_link",
  title: "Get a link",
  description:
    "Shows all about one link: its state, the evidence of its last check in sentences, its history in runs of one status, and the places where it stands. Use it to find out why a link is dead before you decide about it.",
  input: z.object({ link_id: linkIdOf(operations) }),
  output: z.object({
    link: operations("getLink").reply,
    runs: operations("listLinkRuns").reply,
    places: operations("listLinkOccurrences").reply,
  }),
  does: "reads",
  async call({ ask }, { link_id: id }) {
    const link = await ask("getLink", { params: { id } });
    const [runs, places] = await Promise.all([
      ask("listLinkRuns", { params: { id }, query: FIRST }),
      ask("listLinkOccurrences", { params: { id }, query: FIRST }),
    ]);
    return { link, runs, places };
  },
  says: ({ link: { status, reason }, places: { pagination } }) =>
    `The link is ${status} (${reason ?? "not checked yet"}) and stands in ${pagination.total} places.`,
});

const judgeUrls: Of = (operations) => ({
  name: "judge_urls",
  title: "Judge URLs",
  description:
    "Says what is known of up to 100 URLs, such as those of a document: alive, dead or unknown. It requests nothing and is fast. Use `check_urls` for URLs that it does not know.",
  input: z.object({
    ...bodyOf(operations, "findVerdicts"),
    urls: atMost(bodyOf(operations, "findVerdicts").urls, MOST_URLS),
  }),
  output: operations("findVerdicts").reply,
  does: "reads",
  call: ({ ask }, body) => ask("findVerdicts", { body }),
  says: ({ summary }) => verdictsOf(summary),
});

const checkUrlsNow: Of = (operations) => {
  const known = judgeUrls(operations);
  return {
    name: "check_urls",
    title: "Check URLs now",
    description:
      "As `judge_urls`, and checks the URLs that are unknown. It waits up to 25 seconds; URLs whose check has not finished then are `pending`, so call it again with these. Nothing is stored: use `add_links` to watch URLs, and `check_links` for links that are watched.",
    input: known.input,
    output: z.object({
      ...shapeOf(known.output),
      results: z.array(
        z.object({
          ...shapeOf((shapeOf(known.output).results as z.ZodArray<z.ZodObject>).element),
          pending: z.boolean(),
        }),
      ),
    }),
    does: "asks sites",
    call: checkUrls,
    says: ({ summary }) => `${verdictsOf(summary)} ${summary.pending} pending.`,
  };
};

const addLinks: Of = (operations) => ({
  name: "add_links",
  title: "Add links",
  description:
    "Begins to watch URLs. Each is checked at once and then on its schedule. A URL that is watched already is reported as failed with the id of its link.",
  input: z.object(bodyOf(operations, "createLinks")),
  output: operations("createLinks").reply,
  does: "adds",
  call: ({ ask }, body) => ask("createLinks", { body }),
  says: ({ summary }) => `${summary.created} of ${summary.total} links added.`,
});

const setUrl: Of = (operations) => ({
  name: "set_url",
  title: "Change the URL of a link",
  description:
    "Gives a link another URL, for example when a page has moved. The link keeps its id, history and notes, and is checked at once. It changes what Stillup watches, not the document in which the link stands.",
  input: z.object({ link_id: linkIdOf(operations), ...bodyOf(operations, "changeLinkUrl") }),
  output: operations("changeLinkUrl").reply,
  does: "changes",
  call: ({ ask }, { link_id: id, ...body }) => ask("changeLinkUrl", { params: { id }, body }),
  says: () => "The link has the new URL and is being checked.",
});

const checkLinks: Of = (operations) => ({
  name: "check_links",
  title: "Check links now",
  description:
    "Starts a check of watched links. It does not wait for the results; ask with `get_link` or `find_links` a minute later.",
  input: z.object({ link_ids: linkIdsOf(operations) }),
  output: operations("checkLinks").reply,
  does: "changes",
  call: ({ ask }, body) => ask("checkLinks", { body }),
  says: ({ summary }) => `${summary.started} of ${summary.total} checks started.`,
});

const deleteLinks: Of = (operations) => ({
  name: "delete_links",
  title: "Delete links",
  description:
    "Deletes up to 20 links and their history, which cannot be undone. Ask the person first, then send `confirm: true`. To silence a link, use `set_handling` instead. An API key can delete 100 links a day in this way.",
  input: z.object({
    link_ids: atMost(linkIdsOf(operations), MOST_DELETED),
    confirm: z.literal(true, { error: "must be true" }),
  }),
  output: operations("deleteLinks").reply,
  does: "deletes",
  call: ({ deps, caller, ask }, { link_ids }) =>
    oneAtATime(`deletions of key ${caller.by.id}`, async () => {
      await refuseManyDeletions(deps, caller, link_ids.length);
      return ask("deleteLinks", { body: { link_ids } });
    }),
  says: ({ summary }) => `${summary.deleted} of ${summary.total} links deleted.`,
});

/** Links that the key has deleted in other ways count as well. @throws RATE_LIMITED */
async function refuseManyDeletions(
  deps: Session["deps"],
  caller: Session["caller"],
  wanted: number,
) {
  const since = deps.clock.now() - DAY_MS;
  const used = await countChanges(deps, caller, { action: "link.deleted", since });
  if (used + wanted <= MOST_DELETED_IN_DAY) return;
  const remaining = Math.max(0, MOST_DELETED_IN_DAY - used);
  throw new AppError(
    "RATE_LIMITED",
    `An assistant can delete ${MOST_DELETED_IN_DAY} links a day; ${remaining} remain. A person can delete more in the dashboard.`,
    { limit: MOST_DELETED_IN_DAY, remaining },
  );
}

const shapeOf = (schema: z.ZodType) => (schema as z.ZodObject).shape as Record<string, z.ZodType>;

/** The fields of a route's body. */
const bodyOf = (operations: Operations, id: string) => shapeOf(operations(id).body);

const linkIdsOf = (operations: Operations) => bodyOf(operations, "deleteLinksAlias").link_ids!;

const linkIdOf = (operations: Operations) => (linkIdsOf(operations) as z.ZodArray).element;

/** The same list with fewer items. */
const atMost = (items: z.ZodType | undefined, most: number) =>
  (items as z.ZodArray).max(most, `must have at most ${most} items`);

type Summary = Record<"active" | "dead" | "unknown" | "not_known" | "failed", number>;

const verdictsOf = (summary: Summary) =>
  `${summary.active} alive, ${summary.dead} dead, ${summary.unknown} unknown, ${summary.not_known} not watched, ${summary.failed} invalid.`;
