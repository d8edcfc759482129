import { createKey } from "../../server/accounts/keys.ts";
import { links as linkRows } from "../../server/ground/db/tables.ts";
import type { Conclusion } from "../../server/judge/probe/conclusion.ts";
import type { Reason } from "../../server/judge/reasons/reasons.ts";
import { changeLinks } from "../../server/links/change.ts";
import { createLinks } from "../../server/links/create.ts";
import type { LinkEdit } from "../../server/links/edit.ts";
import { createGroup } from "../../server/links/groups/groups.ts";
import { listLinks } from "../../server/links/list.ts";
import { createView } from "../../server/links/triage/views.ts";
import { createWebhook } from "../../server/notify/webhooks.ts";
import { makeChange } from "../../server/work/unit.ts";
import { DAY, saw } from "../checker/ended.ts";
import type { TestServer } from "../harness.ts";
import { randomFrom } from "../random.ts";
import { checkDueLinks, deliverDue } from "../rounds.ts";
import { ownerOf } from "./actors.ts";
import { fillSources } from "./sources-showcase.ts";

/** What a link does over the days, until the last one. */
type Life = (day: number) => Conclusion;

const BETWEEN_MS = 20_000;

/** How long the season is. */
export const DAYS = 90;

const GROUPS = [
  { name: "Documentation", color: "#2563EB", description: "What our handbook points to." },
  { name: "Press", color: "#B45309", description: "Articles about us, and what they quote." },
  { name: "Partners", color: "#15803D", description: null },
  { name: "Videos", color: "#7C3AED", description: "Talks and tutorials." },
];

/** Of what there is one page for each: the ids of some. */
export type Showcase = {
  deadLink: string;
  unknownLink: string;
  activeLink: string;
  webhook: string;
  source: string;
  smallSource: string;
  page: string;
};

/**
 * An account as it looks after a season of use: groups, links of all kinds with their history, keys, and
 * webhooks that have sent. Leaves the clock where the season ends.
 * @param receiverUrl where messages are taken
 */
export async function fillShowcase(
  server: Pick<TestServer, "deps" | "clock">,
  accountId: string,
  receiverUrl: string,
): Promise<Showcase> {
  const { deps, clock } = server;
  const caller = await ownerOf(deps, accountId);
  const groups = await Promise.all(
    GROUPS.map((group) => makeChange(deps, caller, (unit) => createGroup(unit, caller, group))),
  );
  const lives = new Map<string, Life>();
  for (const [n, { id }] of groups.entries()) {
    const links = LINKS[n]!.map(([url, life]) => {
      lives.set(new URL(url).href, life);
      return { url, group_id: id, check_frequency: "daily" };
    });
    await createLinks(deps, caller, links);
  }
  const loose = LOOSE.map(([url, life]) => {
    lives.set(new URL(url).href, life);
    return { url, check_frequency: "daily" };
  });
  await createLinks(deps, caller, loose);
  const webhook = await hooks(server, accountId, receiverUrl);
  await makeChange(deps, caller, (unit) => createKey(unit, caller, { name: "Nightly import" }));
  const readOnly = { read: true, write: false };
  const expiresAt = clock.now() + (DAYS + 9) * DAY;
  await makeChange(deps, caller, (unit) =>
    createKey(unit, caller, {
      name: "Status page",
      permissions: readOnly,
      expires_at: expiresAt,
    }),
  );
  for (let day = 0; day <= DAYS; day++) {
    const began = clock.now();
    await deps.store.update(linkRows).set({ nextCheckAt: began });
    let last = Promise.resolve();
    // One after the other, at times of their own, so that every season is the same.
    const check = async ({ url }: { url: string }) => {
      last = last.then(() => Bun.sleep(0)).then(() => clock.moveBy(BETWEEN_MS));
      await last;
      random = randomFrom(Bun.hash.xxHash32(`${url} ${day}`));
      return lives.get(url)!(day);
    };
    await checkDueLinks({ ...deps, check });
    await deliverDue(deps);
    clock.moveBy(DAY - (clock.now() - began));
  }
  await decide();
  return {
    ...(await fillSources(server, caller)),
    webhook,
    deadLink: await newestOf("dead"),
    unknownLink: await newestOf("unknown"),
    activeLink: await newestOf("active"),
  };

  /** What people have said about links, and decided. */
  async function decide() {
    const rows = await deps.store.select({ id: linkRows.id, url: linkRows.url }).from(linkRows);
    const known = rows.filter(({ url }) => lives.has(url));
    for (const [part, change] of Object.entries(DECIDED)) {
      const { id } = known.find(({ url }) => url.includes(part))!;
      const mute = change.handling === "muted" && { muted_until: clock.now() + 30 * DAY };
      await changeLinks(deps, caller, [id], { ...change, ...mute });
    }
    const filter = { tag: "press kit", status: "dead" };
    await makeChange(deps, caller, (unit) =>
      createView(unit, caller, { name: "Dead in the press kit", filter, is_shared: true }),
    );
  }

  async function newestOf(status: "dead" | "unknown" | "active"): Promise<string> {
    const { items } = await listLinks(deps, caller, { status, page: 1, per_page: 1 });
    return items[0]!.id;
  }
}

/** @returns the id of the one that everything arrives at */
async function hooks({ deps }: Pick<TestServer, "deps">, accountId: string, receiverUrl: string) {
  const caller = await ownerOf(deps, accountId);
  const events = ["link.dead", "link.alive"];
  const { id } = await makeChange(deps, caller, (unit) =>
    createWebhook(unit, caller, { name: "Link inventory", url: receiverUrl, events }),
  );
  await makeChange(deps, caller, (unit) =>
    createWebhook(unit, caller, {
      name: "Status page",
      url: `${receiverUrl}/busy`,
      events: ["link.dead"],
    }),
  );
  const url = `${receiverUrl}/services/T0/B0/secret`;
  await makeChange(deps, caller, (unit) =>
    createWebhook(unit, caller, {
      name: "Docs team",
      url,
      events: ["link.dead"],
      format: "slack",
    }),
  );
  return id;
}

const DECIDED: Record<string, LinkEdit> = {
  "/v1/quickstart": { title: "Quickstart", tags: ["handbook"] },
  "/technology/links-that-last": {
    title: "Links that last",
    tags: ["press kit", "quoted"],
    note: "Quoted in the annual report, page 12. The author knows.",
  },
  "/issue-48/": { title: "The web forgets", tags: ["press kit"] },
  "/why-we-moved": { handling: "muted" },
  "?v=ddddddddddd": { handling: "acknowledged", tags: ["talks"] },
};

let random = randomFrom(7);
const between = (least: number, most: number) => least + random(most - least);

const answered = (reason: Reason, status: number, more: Partial<Conclusion> = {}) =>
  saw(reason, {
    statusCode: status,
    responseTimeMs: between(60, 420),
    evidence: evidenceOf(reason, status),
    ...more,
  });

const evidenceOf = (reason: Reason, status: number | null): Conclusion["evidence"] => ({
  attempts: [
    {
      at: "2030-04-01T08:30:00.000Z",
      profile: "A",
      outcome: "answered",
      status,
      reason,
      detail: null,
      elapsed_ms: 214,
      address: "203.0.113.17",
    },
  ],
  redirects: [],
  final_url: null,
  address: "203.0.113.17",
  tls_expires_at: "2030-04-09T00:00:00.000Z",
  signals: [],
  probes: [],
  notes: [],
});

const fine: Life = () => answered("ok", 200);
const moved: Life = () => answered("ok_redirected", 200, { redirectCount: 1 });
const goneSince =
  (since: number, reason: "http_404" | "http_410" | "domain_parked" = "http_404"): Life =>
  (day) =>
    day < since ? fine(day) : answered(reason, reason === "http_410" ? 410 : 404);
const nameless =
  (since: number): Life =>
  (day) =>
    day < since ? fine(day) : saw("dns_nxdomain", { evidence: evidenceOf("dns_nxdomain", null) });
const goneBetween =
  (from: number, until: number): Life =>
  (day) =>
    day >= from && day < until ? answered("http_404", 404) : fine(day);
const closed: Life = () => answered("http_403", 403);
const busy: Life = (day) => (day > 80 ? answered("http_503", 503) : fine(day));
const login: Life = () => answered("login_required", 200);

const fines = (stem: string, paths: string[]): [string, Life][] =>
  paths.map((path) => [`${stem}${path}`, fine]);

/** In the order of the groups. Names that no one can have, but those of services. */
const LINKS: [string, Life][][] = [
  [
    ...fines("https://docs.northwind.example/", ["", "install", "upgrade", "api", "limits", "faq"]),
    ["https://docs.northwind.example/guide/single-sign-on-with-several-identity-providers", moved],
    ["https://docs.northwind.example/v1/quickstart", goneSince(90)],
    ["https://wiki.contoso.example/display/OPS/Runbook", login],
    ["https://standards.fabrikam.example/rfc/9110", goneBetween(60, 88)],
    ["https://packages.fabrikam.example/mirror/releases", busy],
  ],
  [
    ...fines("https://news.tailspin.example/2029/", ["12/launch", "11/interview", "10/funding"]),
    ["https://www.dailyproseware.example/technology/links-that-last", goneSince(71, "http_410")],
    ["https://magazine.adatum.example/issue-48/the-web-forgets", nameless(84)],
    ["https://blog.litware.example/why-we-moved", goneSince(40, "domain_parked")],
    ["https://press.wingtip.example/kit.zip", closed],
  ],
  [
    ...fines("https://partners.woodgrove.example/", ["", "terms", "status"]),
    ["https://shop.alpineski.example/catalogue?season=winter&sort=price", fine],
    ["https://portal.consolidated.example/login", login],
    ["https://www.lucerne.example/", goneBetween(85, 89)],
  ],
  [
    ...fines("https://www.youtube.com/watch?v=", ["aaaaaaaaaaa", "bbbbbbbbbbb", "ccccccccccc"]),
    ["https://vimeo.com/100000001", goneSince(88)],
    ["https://www.youtube.com/watch?v=ddddddddddd", goneSince(30)],
  ],
];

const LOOSE: [string, Life][] = [
  ...fines("https://old.blue-yonder.example/archive/", ["1998", "1999", "2000", "2001", "2002"]),
  ["https://example.org/", fine],
];
