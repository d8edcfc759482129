import { expect, test } from "bun:test";
import { type Asker, onBothEngines, type TestServer } from "../harness.ts";
import { addKey } from "../keys/asking.ts";
import { dice } from "../random.ts";
import { addGroup, addLink } from "../rows.ts";

const REQUESTS = 1500;
const SEED = 20_300_101;

const ODD = [
  "",
  " ",
  "\u0000",
  "😀",
  "\ud800",
  "é".repeat(200),
  "x".repeat(3000),
  "../..",
  "%00",
  "' or 1=1 --",
  "<script>",
  "true",
  "-1",
  "1e9",
  "2030-01-01",
  "2030-02-30T00:00:00+99:99",
  "https://example.org/fuzz",
  "https://[::1",
  "ftp://x",
];
const FIELDS = [
  "name",
  "permissions",
  "expires_at",
  "url",
  "group_id",
  "check_frequency",
  "links",
  "link_ids",
  "description",
  "color",
  "events",
  "is_active",
  "__proto__",
  "status",
  "format",
  "grace_period_seconds",
  "since",
  "until",
];
const QUERIES = [
  "page",
  "per_page",
  "status",
  "service",
  "group_id",
  "search",
  "link_id",
  "start_date",
  "end_date",
];

/** Makes requests that are mostly nearly right, since plain noise gets no further than the door. */
function createRequests(random: () => number, ids: string[]) {
  const one = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)]!;
  const chance = (of: number) => random() < of;
  const text = () => (chance(0.4) ? one(ids) : one(ODD));

  function value(depth = 0): unknown {
    const kind = Math.floor(random() * (depth > 3 ? 6 : 8));
    if (kind === 6) return Array.from({ length: Math.floor(random() * 4) }, () => value(depth + 1));
    if (kind === 7) return object(depth + 1);
    return [text(), text(), null, random() < 0.5, Math.round(random() * 1e6) / 10, -1][kind];
  }

  function object(depth = 0): unknown {
    const names = Array.from({ length: Math.floor(random() * 5) }, () => one(FIELDS));
    return Object.fromEntries(names.map((name) => [name, value(depth)]));
  }

  function path(): string {
    const id = () => (chance(0.7) ? one(ids) : encodeURIComponent(text().toWellFormed()));
    const list = one(["keys", "links", "groups", "webhooks", "batches", "history"]);
    const tail = one([
      ...["", "", "", "/rotate", "/check", "/history", "/links", "/test", "/x"],
      ...["/rotate-secret", "/redeliver-failed", "/deliveries"],
    ]);
    const where = one([
      `/${list}`,
      `/${list}/${id()}${tail}`,
      `/${list}/${id()}${tail}`,
      "/links/batch",
      "/links/batch-delete",
      "/links/preview",
      "/links/batch-change",
      "/links/check",
      `/webhooks/${id()}/deliveries/${id()}${one(["", "/redeliver"])}`,
      "/history/stats",
      "/account",
      "/usage",
      `/${id()}`,
    ]);
    const pairs = Array.from({ length: chance(0.4) ? 2 : 0 }, () => {
      const given = encodeURIComponent(text().toWellFormed());
      return `${one(QUERIES)}=${chance(0.1) ? "%E0%A4%A" : given}`;
    });
    return `${chance(0.95) ? "/api/v1" : one(["", "/api", "/api/v2", "/dashboard/api"])}${where}?${pairs.join("&")}`;
  }

  function body(): string {
    const written = JSON.stringify(chance(0.9) ? object() : value());
    return chance(0.05) ? written.slice(0, -1) : written;
  }

  return () => {
    const method = one(["GET", "GET", "HEAD", "POST", "POST", "PATCH", "DELETE", "PUT", "OPTIONS"]);
    const headers: Record<string, string> = {};
    if (chance(0.95)) headers["content-type"] = "application/json";
    if (chance(0.1)) headers["idempotency-key"] = one(["a", "b", "", "x".repeat(300)]);
    if (chance(0.1)) headers["if-match"] = one(["*", '"x"', "nonsense", ""]);
    if (chance(0.1)) headers["if-none-match"] = one(["*", '"x"', "nonsense"]);
    if (chance(0.05)) headers.origin = one(["null", "https://x.example", "nonsense"]);
    const hasBody = !["GET", "HEAD", "OPTIONS"].includes(method) && chance(0.9);
    return { method, path: path(), headers, body: hasBody ? body() : null };
  };
}

type Sent = ReturnType<ReturnType<typeof createRequests>>;

/** What the reply to any request at all must be; null when it is. */
async function complaintOf({ method, path }: Sent, reply: Response): Promise<string | null> {
  const text = await reply.text();
  if (reply.status >= 500) return `${reply.status}: ${text}`;
  if (!reply.headers.has("x-request-id")) return "no request id";
  if (method === "HEAD" || [204, 304].includes(reply.status))
    return text === "" ? null : `a body with ${reply.status}`;
  const isPage = reply.headers.get("content-type")?.startsWith("text/html");
  if (isPage) return path.includes("/api/v1/") ? "a page instead of JSON" : null;
  const parsed = JSON.parse(text) as { data?: unknown; error?: Record<string, unknown> };
  const keys = Object.keys(parsed).join();
  if (reply.ok) return keys === "data" ? null : `the envelope holds ${keys}`;
  if (keys !== "error" || parsed.error?.status !== reply.status) return `a bad error: ${text}`;
  return /\n\s+at |node_modules|sqlite|postgres|drizzle/i.test(text.replace(/"url":.*/s, ""))
    ? `too much told: ${text}`
    : null;
}

onBothEngines(
  "Any request at all",
  (server) => {
    test(`gets a proper reply (${REQUESTS} of them, seed ${SEED})`, async () => {
      const me = await server().account();
      const ids = await idsOf(server(), me);
      const next = createRequests(dice(SEED), ids);
      const complaints: unknown[] = [];

      for (let i = 0; i < REQUESTS; i++) {
        const sent = next();
        const headers = { ...sent.headers, authorization: `Bearer ${me.key}` };
        const request = { method: sent.method, headers, body: sent.body };
        const reply = await fetch(server().url + sent.path, request);
        const complaint = await complaintOf(sent, reply);
        if (complaint) complaints.push({ complaint, sent });
      }

      expect(complaints).toEqual([]);
    });
  },
  {
    STILLUP_RATE_LIMIT_PER_MINUTE: "0",
    STILLUP_RATE_LIMIT_PER_HOUR: "0",
    STILLUP_WEBHOOK_ALLOWED_HOSTS: "none.example",
    STILLUP_CHECK_ALLOWED_HOSTS: "external",
  },
);

/** Real ids of the account's own things, of a stranger's, and of nobody's. */
async function idsOf(server: TestServer, me: Asker): Promise<string[]> {
  const stranger = await server.account();
  return [
    await addLink(me),
    await addLink(me),
    await addGroup(me),
    (await addKey(server, me)).id,
    await addLink(stranger),
    await addGroup(stranger),
    "0197a1b2-0000-7000-8000-000000000000",
  ];
}
