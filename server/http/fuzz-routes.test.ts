import { expect, test } from "bun:test";
import { onBothEngines } from "../../tests/harness.ts";
import {
  createAskBothDoors,
  type Route,
  routesOf,
  UNLIMITED,
} from "../../tests/http/every-route.ts";
import { addKey } from "../../tests/keys/asking.ts";
import { sized } from "../../tests/long.ts";
import { type Random, randomFrom } from "../../tests/random.ts";
import { addGroup, addLink } from "../../tests/rows.ts";
import { STATUS } from "../ground/lib/errors.ts";
import { newId } from "../ground/lib/ids.ts";

const REQUESTS = sized(1000, 3000);
const SEED = 20_300_102;

/** Numbers that `JSON.stringify` cannot write; put into the text of a body in place of their names. */
const NUMBERS = ["1e999", "-1e999", "-0", "0.1e-400", "123456789012345678901234567890"];
const ODD: unknown[] = [
  ...["", " ", "\u0000", "a\u0000b", "\ud800", "x\udc00", "\u001b[31m", "\u202e", "😀".repeat(300)],
  ...["x".repeat(3000), "' or 1=1 --", "%_\\", "1", "true", "null", "2030-02-30", "9999-12-31"],
  ...["+275760-09-13T00:00:00Z", "https://example.org/\u0000", "http://[::1", "ftp://x"],
  ...[0, -1, 0.5, 1e308, -1e308, 2 ** 53, 2 ** 63, 2 ** 31, Number.MIN_VALUE],
  ...[null, true, false, [], {}, [[]], [null], [{}], Array.from({ length: 1001 }, () => "x")],
  ...NUMBERS.map((number) => `number ${number}`),
];
/** What gets past the checks of a field, so that what comes after them is reached. */
const GOOD: Record<string, unknown> = {
  name: "a",
  url: "https://example.org/fuzz",
  from: "https://example.org/",
  to: "https://new.example.org/",
  events: ["link.dead"],
  color: "#a1b2c3",
  links: [{ url: "https://example.org/many" }],
  change: { check_frequency: "weekly" },
  since: "2029-12-25",
  is_active: true,
  permissions: { read: true },
  description: "x\ny",
  email: "fuzz@example.org",
  role: "viewer",
  tier: "pro",
  grace_period_seconds: 0,
};
const OTHER_METHODS = ["HEAD", "OPTIONS", "PUT", "PATCH", "DELETE", "POST"];
const PROTOTYPE = ["__proto__", "constructor", "prototype", "toString", "hasOwnProperty"];
/** They end the session of the test, never end themselves, or copy the whole database. */
const LEFT_OUT = /^(DELETE .*\/sessions?|GET .*\/live|POST .*\/backups)$/;

/** Makes requests to the route: about half with something odd in each place that it reads. */
function createRequest(random: Random, ids: string[]) {
  const one = <T>(values: readonly T[]): T => values[random(values.length)]!;
  const chance = (percent: number) => random(100) < percent;
  const value = (): unknown => {
    if (chance(30)) return one(ids);
    if (chance(10)) return Object.fromEntries([[one(PROTOTYPE), { read: true, name: "x" }]]);
    return chance(10) ? [value(), value()] : one(ODD);
  };
  const inUrl = () => encodeURIComponent(String(one([...ODD, ...ids])).toWellFormed());

  const path = ({ path: template, parameters }: Route) => {
    const where = template.replace(/:\w+/g, () =>
      chance(60) ? one(ids) : chance(50) ? newId() : inUrl() || "x",
    );
    const names = parameters.filter(() => chance(50));
    const tail = chance(3) ? one(["/x", "/", "x", "/history"]) : "";
    return `${where}${tail}?${names.map((name) => `${name}=${chance(5) ? "%E0%A4%A" : inUrl()}`).join("&")}`;
  };

  function body(fields: Record<string, unknown>): string {
    if (chance(5))
      return one(["", "{", "[", "null", "7", '"x"', "\ufeff{}", "{}{}", "[".repeat(99)]);
    const names = [...Object.keys(fields), ...PROTOTYPE].filter(() => chance(60));
    const given = (name: string) => (name in GOOD && chance(60) ? GOOD[name] : value());
    const text = JSON.stringify(Object.fromEntries(names.map((name) => [name, given(name)])));
    const written = text.replaceAll(/"number ([^"]+)"/g, (_, number) => number);
    return chance(5) ? written.slice(0, -1) : written;
  }

  return (route: Route) => {
    const method = chance(10) ? one(OTHER_METHODS) : route.method;
    const headers: Record<string, string> = {};
    if (chance(95)) headers["content-type"] = "application/json";
    if (chance(10)) headers["idempotency-key"] = one(["a", "b", "", "x".repeat(300), "é"]);
    if (chance(10)) headers["if-match"] = one(["*", '"x"', "nonsense", ""]);
    if (chance(10)) headers["if-none-match"] = one(["*", '"x"', "nonsense"]);
    if (chance(5)) headers.origin = one(["null", "https://x.example", "nonsense"]);
    const isRead = ["GET", "HEAD", "OPTIONS"].includes(method);
    const init = {
      method,
      headers,
      ...(!isRead && { body: body(route.fields ?? {}) }),
    };
    return { path: path(route), init };
  };
}

/** What errors say only by accident. */
const INNER = /\n\s+at |node_modules|drizzle/i;

/** Why the reply is not what any reply must be; null when it is. */
async function complaintOf(method: string, reply: Response): Promise<string | null> {
  const text = await reply.text();
  if (reply.status >= 500) return `${reply.status}: ${text}`;
  if (!reply.headers.has("x-request-id")) return "no request id";
  if ([204, 304].includes(reply.status)) return text === "" ? null : `a body with ${reply.status}`;
  // The socket leaves out its body.
  if (method === "HEAD") return null;
  const type = reply.headers.get("content-type") ?? "";
  if (reply.ok && type.startsWith("text/csv")) return null;
  if (!type.startsWith("application/json")) return `not JSON, but ${type}`;
  if (reply.ok) return Object.keys(JSON.parse(text)).join() === "data" ? null : `no data: ${text}`;
  if (INNER.test(text)) return `internals exposed: ${text}`;
  const { error, ...others } = JSON.parse(text);
  const { code, message, status, details = {}, ...more } = error;
  const isShaped =
    Object.keys({ ...others, ...more }).length === 0 &&
    STATUS[code as keyof typeof STATUS] === reply.status &&
    status === reply.status &&
    typeof message === "string" &&
    typeof details === "object";
  return isShaped ? null : `not the shape of an error: ${text}`;
}

onBothEngines(
  "Every route behind both doors",
  (server) => {
    test(`refuses the oddest requests in the same shape (${REQUESTS} of them, seed ${SEED})`, async () => {
      const { me, ask } = await createAskBothDoors(server());
      const stranger = await server().account();
      const ids = [
        ...[await addLink(me), await addGroup(me), (await addKey(server(), me)).id],
        ...[await addLink(stranger), await addGroup(stranger), newId()],
      ];
      const routes = routesOf(server()).filter(
        ({ method, path }) => !LEFT_OUT.test(`${method} ${path}`),
      );
      const requestTo = createRequest(randomFrom(SEED), ids);
      const complaints: unknown[] = [];
      const statuses = new Set<number>();

      for (let i = 0; i < REQUESTS; i++) {
        const sent = requestTo(routes[i % routes.length]!);
        const reply = await ask(sent.path, sent.init);
        statuses.add(reply.status);
        const complaint = await complaintOf(sent.init.method, reply);
        if (complaint) complaints.push({ complaint, sent });
      }

      expect(complaints).toEqual([]);
      expect([...statuses]).toEqual(expect.arrayContaining([200, 201, 400, 403, 404, 409]));
    });
  },
  {
    ...UNLIMITED,
    STILLUP_WEBHOOK_ALLOWED_HOSTS: "none.example",
    STILLUP_CHECK_ALLOWED_HOSTS: "external",
  },
);
