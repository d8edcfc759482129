import { getDomain, parse } from "tldts";
import * as z from "zod";
import type { HostSettingRow } from "../ground/db/tables.ts";
import { flag, oneOf, paging } from "../ground/lib/fields.ts";
import { toIso, toIsoOrNull } from "../ground/lib/moments.ts";
import { parseHostList, parseTarget, type TargetPolicy } from "../ground/net/policy.ts";
import type { HostAuth } from "../judge/probe/host-setting.ts";
import type { Secrets } from "./secrets.ts";

/** A row with its secrets, null if they were sealed with another key, and the number of links it is for. */
export type FoundSetting = HostSettingRow & { secrets: Secrets | null; links: number };

const MOST_HEADERS = 10;
const LONGEST_VALUE = 4096;
/** Shorter ones would be masked in the middle of words. */
const SHORTEST_VALUE = 6;
const LONGEST_NAME = 100;
const LONGEST_USER = 255;
const LONGEST_USER_AGENT = 500;

/** RFC 9110 §5.6.2. */
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** Headers that belong to the connection, to the body or to the way of the request, or change what is checked. */
const REFUSED =
  /^(host|connection|keep-alive|content-.*|transfer-encoding|te|trailer|upgrade|expect|range|if-.*|accept-encoding|proxy-.*|sec-.*|x-forwarded-.*|forwarded)$/i;
const VISIBLE = /^[\x21-\x7E](?:[\x20-\x7E]*[\x21-\x7E])?$/;

const given = (issue: { input?: unknown }) =>
  issue.input === undefined ? "is required" : "must be a text";

const visible = (max: number) =>
  z
    .string({ error: given })
    .refine((value) => VISIBLE.test(value), "must be visible ASCII characters")
    .refine((value) => value.length <= max, `must be at most ${max} characters`)
    .meta({ minLength: 1, maxLength: max });

/** No message says anything about the value, since messages are kept with idempotency keys. */
const secret = () =>
  visible(LONGEST_VALUE)
    .refine(
      (value) => value.length >= SHORTEST_VALUE,
      `must be at least ${SHORTEST_VALUE} characters`,
    )
    .meta({
      minLength: SHORTEST_VALUE,
      maxLength: LONGEST_VALUE,
      writeOnly: true,
      example: "0123456789",
    });

const headerName = () =>
  z
    .string({ error: given })
    .regex(TOKEN, "must be the name of a header")
    .refine((name) => name.length <= LONGEST_NAME, `must be at most ${LONGEST_NAME} characters`)
    .refine((name) => !REFUSED.test(name), "cannot be set")
    .meta({ example: "X-Api-Key" });

const user = () =>
  visible(LONGEST_USER)
    .refine((name) => !name.includes(":"), "must not contain a colon")
    .meta({ example: "monitor" });

const once = (headers: readonly { name: string }[], context: z.RefinementCtx) => {
  const names = headers.map(({ name }) => name.toLowerCase());
  names.forEach((name, i) => {
    if (names.indexOf(name) < i) {
      context.addIssue({ code: "custom", message: "is given twice", path: [i, "name"] });
    }
  });
};

const headers = <T extends z.ZodType<string | null | undefined>>(value: T) =>
  z
    .array(z.object({ name: headerName(), value }, "must be an object"), "must be a list")
    .max(MOST_HEADERS, `must have at most ${MOST_HEADERS} items`)
    .superRefine(once);

const authOf = <T extends z.ZodType<string | undefined>>(value: () => T) =>
  z
    .discriminatedUnion(
      "type",
      [
        z.object({ type: z.literal("basic"), user: user(), password: value() }),
        z.object({ type: z.literal("bearer"), token: value() }),
      ],
      "must have the type basic or bearer",
    )
    .meta({ example: { type: "bearer", token: "0123456789" } });

const userAgent = () => visible(LONGEST_USER_AGENT).meta({ example: "ExampleCheck/1.0" });

const host = () =>
  z
    .string({ error: given })
    .transform((text, context) => {
      const found = readHost(text.trim());
      if ("host" in found) return found.host;
      context.addIssue(found.problem);
      return z.NEVER;
    })
    .meta({ example: "*.docs.example.org" });

/** Returns the host in the form that URLs have. The default ports are those of a setting without one. */
function readHost(text: string): { host: string } | { problem: string } {
  const isPattern = text.startsWith("*.");
  const [, name = "", port = ""] =
    /^(.*?)(?::0*([1-9]\d*))?$/.exec(isPattern ? text.slice(2) : text) ?? [];
  const hostname = URL.parse(`https://${name}/`)?.hostname.replace(/\.$/, "") ?? "";
  const isName = /^[^\s/?#@:*\\%[\]]+$/.test(name) && parse(hostname).isIp === false;
  const target = isName ? parseTarget(`https://${hostname}/`, ANY_HOST) : null;
  if (!target?.ok || Number(port) > 65_535) {
    return { problem: "must be the name of a host, or *. and a domain, with a port if need be" };
  }
  if (isPattern && getDomain(hostname, { allowPrivateDomains: true }) === null) {
    return { problem: "must name more than a suffix under which others have their domains" };
  }
  const suffix = ["", "80", "443"].includes(port) ? "" : `:${port}`;
  return { host: (isPattern ? `*.${hostname}` : hostname) + suffix };
}

/** Which hosts are allowed is decided with each request. */
const ANY_HOST: TargetPolicy = {
  allowed: parseHostList("external, loopback"),
  blocked: parseHostList(""),
};

export const NewHostSetting = z
  .object(
    {
      host: host(),
      headers: headers(secret()).optional().default([]),
      auth: authOf(secret).nullable().optional().default(null),
      user_agent: userAgent().nullable().optional().default(null),
      allow_http: flag().meta({ example: false }).optional().default(false),
    },
    "must be a JSON object",
  )
  .superRefine(({ auth, headers }, context) => refuseTwoAuths(auth, headers, context));
export type NewHostSetting = z.output<typeof NewHostSetting>;

export const HostSettingChange = z.object(
  {
    host: host().optional(),
    headers: headers(secret().nullable().optional()).nullable().optional(),
    auth: authOf(() => secret().optional())
      .nullable()
      .optional(),
    user_agent: userAgent().nullable().optional(),
    allow_http: flag().meta({ example: false }).optional(),
  },
  "must be a JSON object",
);
export type HostSettingChange = z.output<typeof HostSettingChange>;

const ONE_AUTH = "must not be set with auth";

function refuseTwoAuths(
  auth: unknown,
  headers: readonly { name: string }[],
  context: z.RefinementCtx,
) {
  const at = headers.findIndex(isAuthorization);
  if (auth === null || at === -1) return;
  context.addIssue({ code: "custom", message: ONE_AUTH, path: ["headers", at, "name"] });
}

const isAuthorization = ({ name }: { name: string }) => name.toLowerCase() === "authorization";

/** What a change makes of the secrets, or its problems by field. */
export function changedSecrets(
  before: Secrets | null,
  { headers, auth }: HostSettingChange,
): { secrets: Secrets } | { problems: Record<string, string[]> } {
  const problems: Record<string, string[]> = {};
  const kept = new Map(
    headers === null ? [] : (before?.headers ?? []).map((pair) => [pair[0].toLowerCase(), pair]),
  );
  for (const [i, { name, value }] of (headers ?? []).entries()) {
    const key = name.toLowerCase();
    const known = kept.get(key);
    if (value === null) kept.delete(key);
    else if (value === undefined && !known) problems[`headers[${i}].value`] = ["is required"];
    else kept.set(key, [name, value ?? known![1]]);
  }
  const next = auth === undefined ? (before?.auth ?? null) : auth && withKept(auth, before?.auth);
  if (next === "incomplete") {
    problems[auth?.type === "basic" ? "auth.password" : "auth.token"] = ["is required"];
  }
  if (kept.size > MOST_HEADERS) problems.headers = [`must have at most ${MOST_HEADERS} items`];
  if (next !== null && kept.has("authorization")) problems.headers = [`Authorization ${ONE_AUTH}`];
  if (next === "incomplete" || Object.keys(problems).length > 0) return { problems };
  return { secrets: { headers: [...kept.values()] as Secrets["headers"], auth: next } };
}

/** What is left out stays, if it is of the same type. */
function withKept(
  wanted: NonNullable<HostSettingChange["auth"]>,
  before: HostAuth | null | undefined,
): HostAuth | "incomplete" {
  if (wanted.type === "basic") {
    const password = wanted.password ?? (before?.type === "basic" ? before.password : undefined);
    return password === undefined ? "incomplete" : { ...wanted, password };
  }
  const token = wanted.token ?? (before?.type === "bearer" ? before.token : undefined);
  return token === undefined ? "incomplete" : { ...wanted, token };
}

export const HostSettingRecord = z
  .object({
    id: z.uuid(),
    host: z.string().meta({ example: "*.docs.example.org" }),
    headers: z.array(z.object({ name: z.string(), is_set: z.boolean() })).meta({
      example: [{ name: "X-Api-Key", is_set: true }],
    }),
    auth: z
      .object({
        type: oneOf(["basic", "bearer"]),
        user: z.string().nullable(),
        is_set: z.boolean(),
      })
      .nullable()
      .meta({ example: { type: "basic", user: "monitor", is_set: true } }),
    user_agent: z.string().nullable().meta({ example: null }),
    allow_http: z.boolean().meta({ example: false }),
    is_readable: z.boolean(),
    last_success_at: z.string().nullable(),
    failing_since: z.string().nullable().meta({ example: null }),
    links: z.int().meta({ example: 312 }),
    created_at: z.string(),
    updated_at: z.string(),
  })
  .meta({ id: "HostSetting" });

/** As many as an account can have, so that one page holds all. */
export const MOST_SETTINGS = 100;

export const HostSettingQuery = z.object(paging(MOST_SETTINGS));
export type HostSettingQuery = z.output<typeof HostSettingQuery>;

export const toHostSetting = (row: FoundSetting): z.infer<typeof HostSettingRecord> => ({
  id: row.id,
  host: row.host,
  headers: (row.secrets?.headers ?? []).map(([name]) => ({ name, is_set: true })),
  auth: row.secrets?.auth ? shownAuth(row.secrets.auth) : null,
  user_agent: row.userAgent,
  allow_http: row.allowHttp,
  is_readable: row.secrets !== null,
  last_success_at: toIsoOrNull(row.lastSuccessAt),
  failing_since: toIsoOrNull(row.failingSince),
  links: row.links,
  created_at: toIso(row.createdAt),
  updated_at: toIso(row.updatedAt),
});

const shownAuth = (auth: HostAuth) => ({
  type: auth.type,
  user: auth.type === "basic" ? auth.user : null,
  is_set: true,
});
