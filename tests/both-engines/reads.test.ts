import { describe, expect, test } from "bun:test";
import { toCursor } from "../../server/pages/sites/model.ts";
import type { TestServer } from "../harness.ts";
import { routesOf, UNLIMITED } from "../http/every-route.ts";
import { BEHIND_PROXY } from "../session/browser.ts";
import { compareEngines } from "./comparing.ts";
import { type FullAccount, fillAccount } from "./full-account.ts";

const PAGES = ["", "?page=2&per_page=2", "?page=3&per_page=2"];
const TIMES = "start_date=2030-01-02&end_date=2030-01-06";

/** The conditions on a list of links, each of which a selection of links knows as well. */
const FILTERS = [
  ...["status=dead", "status=checking", "status=checking&search=GONE", "source_id=none"],
  ...["service=generic", "group_id={groups}", "group_id=none"],
  ...["source_id={sources}", "check_frequency=weekly", "site=example.com", "reason=http_404"],
  ...["created_from={links}", "created_to={last}", "search=GONE", "search=note&search_in=all"],
  ...["attention=true", "attention=false", "handling=muted", "assignee={person}", "assignee=none"],
  ...["changed_after=2030-01-04", "changed_before=2030-01-04&status=dead"],
  ...[
    "overridden=true",
    "overridden=false",
    "accepted=true",
    "accepted=false",
    "identity=doubted",
    "fragment=missing",
    "suggestion=any",
    "suggestion=none",
    "suggestion=moved",
    "suggestion=variant",
    "external_id=p-1",
    "tag=press",
    "tag=press,gone",
  ],
];
const SORTS = ["created_at", "status_changed_at", "url"].flatMap((sort) => [sort, `-${sort}`]);

const CURSOR = toCursor({ value: 2, site: "example.com" });
const SITE_SORTS = ["site", "-links", "-dead"].flatMap((sort) => [
  `?sort=${sort}`,
  `?sort=${sort}&cursor=${CURSOR}`,
]);

/** What is read of each route, with the ids of the full account in braces. */
const READS: Record<string, string[]> = {
  "/account": [""],
  "/usage": [""],
  "/keys": PAGES,
  "/keys/{key}": [""],
  "/links": [
    ...PAGES,
    ...FILTERS.map((filter) => `?${filter}`),
    ...SORTS.map((sort) => `?sort=${sort}`),
    ...["?sort=dead_first", "?include=strip", "?status=dead&attention=true&search=e&page=1"],
  ],
  "/links/{links}": [""],
  "/links/{links}/history": [...PAGES, "?status=active", "?changed=true", `?${TIMES}`],
  "/links/{links}/runs": PAGES,
  "/links/{links}/raw": [""],
  "/links/{links}/events": PAGES,
  "/links/{links}/stats": ["", `?${TIMES}`],
  "/links/{links}/timeline": PAGES,
  "/links/{links}/suggestions": [""],
  "/links/{links}/occurrences": [...PAGES, "?source_id={sources}"],
  "/tags": [...PAGES, "?search=PRES"],
  "/views": [""],
  "/batches/{batch}": [""],
  "/imports": PAGES,
  "/imports/{imported}": [""],
  "/imports/{imported}/items": [
    ...["", "?outcome=refused,created", "?not_kept=true", "?not_kept=false"],
    ...["?sort=dead_first", "?sort=line&page=2&per_page=1"],
  ],
  "/groups": [...PAGES, "?search=o", "?sort=name", "?sort=-dead", "?sort=-links"],
  "/groups/none": [""],
  "/groups/{groups}": [""],
  "/groups/{groups}/links": [...PAGES, "?status=dead"],
  "/history": [
    ...[...PAGES, "?link_id={links}", "?link_id={links}&changed=true&status=active"],
    ...["?status=dead", "?status=dead&page=2&per_page=1", "?changed=true", `?${TIMES}`],
    "?start_date=2030-01-02T10:10:10.123Z&end_date=2030-01-05T10:10:10.123Z",
  ],
  "/history/stats": ["", `?${TIMES}`, "?link_id={links}", "?group_id={groups}"],
  "/history/series": [
    "",
    `?bucket=hour&${TIMES}`,
    "?bucket=day&link_id={links}",
    "?group_id={groups}",
  ],
  "/webhooks": [...PAGES, "?format=standard"],
  "/webhooks/deliveries": [
    ...["", "?per_page=3", "?status=succeeded", "?status=succeeded,pending&event=link.dead"],
    ...["?webhook_id={webhooks}", "?event=link.dead", "?cursor={delivery}.{webhooks}"],
    ...["?format=standard", "?status=succeeded&event=link.dead"],
    ...["?status=succeeded&cursor={delivery}.{webhooks}"],
  ],
  "/webhooks/deliveries/days": ["", "?days=3"],
  "/webhooks/{webhooks}": [""],
  "/webhooks/{webhooks}/deliveries": [
    ...[...PAGES, "?status=pending", "?event=link.dead"],
    "?status=succeeded&page=2&per_page=1",
  ],
  "/webhooks/{webhooks}/deliveries/{delivery}": [""],
  "/sources": [...PAGES, "?kind=list", "?status=idle", "?search=docs"],
  "/sources/{sources}": [""],
  "/sources/{sources}/runs": PAGES,
  "/sources/{sources}/runs/{run}": [""],
  "/sources/{sources}/pages": [...PAGES, "?state=read", "?has=dead", "?search=list"],
  "/sources/{pushed}/pages/{page}": [""],
  "/exports/occurrences": ["", "?source_id={pushed}&status=dead&format=csv"],
  "/exports/replacements": ["", "?source_id={pushed}&format=ndjson"],
  "/replacements": PAGES,
  "/replacements/{replacement}": [""],
  "/host-settings": PAGES,
  "/host-settings/{host}": [""],
  "/patterns": PAGES,
  "/services": [""],
  "/overview": [""],
  "/overview/services": ["", "?most=1"],
  "/overview/series": ["", "?days=3", "?group_id={groups}", "?site=example.com"],
  "/overview/upcoming": ["", "?days=300"],
  "/domains": [...PAGES, "?expiring=30", "?search=exam"],
  "/sites/{site}": [""],
  "/sites": [...PAGES, "?status=dead", "?search=exam", ...SITE_SORTS],
  "/attention": [...PAGES, "?by=site", "?by=page", "?by=page&tag=press"],
  "/changes": [
    ...["", "?kind=died", "?kind=moved", "?group_id={groups}", "?site=example.com", "?per_page=2"],
    ...["?since=2030-01-04", "?before=2030-01-05T00:00:00Z"],
  ],
  "/links/export": ["", ...FILTERS.map((filter) => `?${filter}`), "?ids={links}"],
  "/history/export": ["", "?link_id={links}", "?status=dead", "?changed=true", `?${TIMES}`],
  "/audit": [
    ...[...PAGES, "?action=link.created", "?actor={key}", "?target={links}"],
    ...["?from=2030-01-01", "?to=2030-01-09"],
  ],
  "/session": [""],
  "/sessions": [""],
  "/session/two-factor": [""],
  "/people": [""],
  "/mail/me": [""],
  "/admin/accounts": [...PAGES, "?search=owner"],
  "/admin/audit": [
    ...PAGES,
    "?action=link.created",
    "?actor={key}&target={links}&from=2030-01-01&to=2030-01-09",
  ],
};

/** Answered by what the machine is, by the mail server, or by the provider, and not by SQL alone. */
const NOT_COMPARED = [
  ...["/session/identities", "/admin/oidc", "/admin/state", "/admin/mail", "/admin/nodes"],
  ...[
    "/admin/backups",
    "/admin/backups/:name",
    "/mail/preview/:id",
    "/mail/:purpose/:token",
    "/live",
  ],
];

/** A person's overview says what has changed since their last visit, too. */
const OF_SESSIONS = /^\/(session|sessions|people|mail|admin)\b|^\/overview$/;
const asPattern = (path: string) => path.replace(/\{\w+\}|:\w+/g, "*");

describe("What is read is the same on both databases", () => {
  const same = compareEngines({ ...BEHIND_PROXY, ...UNLIMITED });
  const accounts = new Map<TestServer, FullAccount>();
  let routes: ReturnType<typeof routesOf>;

  test(
    "of an account with everything in it",
    same(async (server) => {
      accounts.set(server, await fillAccount(server));
      routes = routesOf(server);
      const { me, browser } = accounts.get(server)!;
      return [(await me.get("/api/v1/overview")).body, (await browser.get("/views")).body];
    }),
  );

  test("which is every route that reads, with each of its parameters", () => {
    const reads = routes.filter(({ method }) => method === "GET");
    const paths = reads.map(({ path }) => path.replace(/^\/(api\/v1|dashboard\/api)/, ""));
    const known = [...Object.keys(READS), ...NOT_COMPARED].map(asPattern);
    expect([...new Set(paths.map(asPattern))].sort()).toEqual([...new Set(known)].sort());

    const unused = reads.flatMap(({ path, parameters }) => {
      const pattern = asPattern(path.replace(/^\/(api\/v1|dashboard\/api)/, ""));
      const [, queries] = Object.entries(READS).find(([each]) => asPattern(each) === pattern) ?? [];
      const used = queries?.join("&") ?? "";
      return queries
        ? parameters
            .filter((name) => !used.includes(`${name}=`))
            .map((name) => `${pattern} ${name}`)
        : [];
    });
    expect([...new Set(unused)]).toEqual([]);
  });

  test.each(Object.entries(READS))("GET %s", (path, queries) =>
    same(async (server) => {
      const { me, browser, ids } = accounts.get(server)!;
      const get = OF_SESSIONS.test(path) ? browser.get : (to: string) => me.get(`/api/v1${to}`);
      const came: unknown[] = [];
      for (const query of queries) {
        const { status, body } = await get(
          (path + query).replace(/\{(\w+)\}/g, (_, name) => ids[name]!),
        );
        came.push({ query, isRead: status < 300, body });
      }
      expect(came.filter((each) => !(each as { isRead: boolean }).isRead)).toEqual([]);
      return came;
    })(),
  );

  test.each(FILTERS)("a change of all links with %s", (filter) =>
    same(async (server) => {
      const { me, ids } = accounts.get(server)!;
      const given = new URLSearchParams(filter.replace(/\{(\w+)\}/g, (_, name) => ids[name]!));
      const change = { title: `${filter.length}` };
      return me
        .post("/api/v1/links/batch-change", { filter: filterOf(given), change })
        .then(({ status, body }) => ({ status, body }));
    })(),
  );
});

/** As in a body, where flags are not texts. */
const filterOf = (given: URLSearchParams) =>
  Object.fromEntries([...given].map(([name, value]) => [name, FLAGS.get(value) ?? value]));
const FLAGS = new Map([
  ["true", true],
  ["false", false],
]);
