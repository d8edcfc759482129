import ipaddr from "ipaddr.js";
import { LRUCache } from "lru-cache";
import type { AuditRow, SessionRow, UserRow } from "../ground/db/tables.ts";
import { AppError } from "../ground/lib/errors.ts";
import { log } from "../ground/lib/log.ts";
import type { Tier } from "../ground/lib/vocabulary.ts";
import type { Deps } from "../work/deps.ts";
import { HOUR } from "./rate-limit.ts";

export type Permissions = { read: boolean; write: boolean };

/** Who makes a change, as the audit log names them. */
export type Actor = {
  kind: AuditRow["actorKind"];
  /** Of the user or the key; null for others. */
  id: string | null;
  /** An e-mail, or the part of a key that is shown. */
  name: string;
  /** Of a person who is signed in: their own account. */
  accountId?: string;
  /** The address that the request comes from; null on the command line. Computed on demand. */
  address: () => string | null;
};

/** The operator of the installation, on the command line. */
export const OPERATOR: Actor = {
  kind: "operator",
  id: null,
  name: "command line",
  address: () => null,
};

/** Who makes a request, by key or by session. History names the account by its number. */
export type Caller = {
  accountId: string;
  accountNo: number;
  tier: Tier;
  permissions: Permissions;
  /** When the caller's API key expires, in milliseconds since 1970. Not set for people and keys that never expire. */
  expiresAt?: number | null;
  by: Actor;
};

/**
 * Who may call a route: anyone, anyone who is signed in, callers with a permission, owners of the account, or
 * administrators of the installation. Keys have permissions only; people have them by their role.
 */
export type Access = "anyone" | "signed-in" | keyof Permissions | "owner" | "administrator";

declare module "elysia/types" {
  /** What a route, or an instance for each of its routes, states in `detail`. */
  interface DocumentDecoration {
    /** Who may call the route. The doors enforce it. */
    access: Access;
    /** The limit of the body in bytes, if it is not `BODY_LIMIT`. */
    bodyLimit?: number;
    /** What a body is that is not JSON, and that the route reads itself. */
    upload?: string;
    /**
     * Whether a POST writes nothing, or only what no open page shows, or is also allowed while the disk is full, as
     * every DELETE is.
     */
    writes?: "nothing" | "unseen" | "on-full-disk";
  }
}

const KIB = 1024;
export const BODY_LIMIT = 64 * KIB;
/** The limit of bodies with many links. */
export const LARGE_BODY_LIMIT = 4096 * KIB;

/** A signed-in user. */
export type Session = {
  tokenHash: string;
  user: Pick<
    UserRow,
    "id" | "accountId" | "email" | "role" | "isAdmin" | "totpSecret" | "passwordHash"
  >;
  caller: Caller;
  /** Failed sign-ins before it that the user has not dismissed. */
  failed?: FailedSignIns | null;
  /** How it began. */
  via: SessionRow["via"];
  /** When the user last signed in at the provider again to prove who they are. */
  provedAt: number | null;
  /** Sealed; null unless signing out here signs out at the provider. */
  idToken: string | null;
};

/** Failed sign-ins of one person. */
export type FailedSignIns = {
  count: number;
  /** Milliseconds since 1970. */
  since: number;
  /** The most frequent first. */
  networks: string[];
  /** Whether there were other networks. */
  hasMore: boolean;
};

/** @throws INSUFFICIENT_PERMISSIONS */
export function requirePermission({ permissions }: Caller, needed: keyof Permissions) {
  if (permissions[needed]) return;
  throw new AppError("INSUFFICIENT_PERMISSIONS", `This needs the ${needed} permission.`);
}

/** A request with an idempotency key, while it runs. */
export type Claim = {
  accountId: string;
  scope: string;
  key: string;
  bodyHash: string;
  /** When the request came. The stored reply counts its age from here. */
  createdAt: number;
  /** `saved`: the change stores the reply itself. `stored`: the reply is the stored one. */
  state: "running" | "saved" | "stored";
};

/** What is known of a request besides its own content. */
export type RequestContext = {
  requestId: string;
  /** The client's address; behind a trusted proxy the one that it forwards. Computed on demand. */
  address: () => string;
  /** The path of the request, without the query. */
  path: string;
  /** When the request arrived, by the clock's `elapsed()`. */
  receivedAt: number;
  /** The template of the route that ran, such as `/links/:id`; null if none did. */
  route: string | null;
  /** The headers of every reply to this request. */
  headers: Headers;
  /** Whether the reply already has them. */
  hasHeaders: boolean;
  caller?: Caller;
  /** Of a request under /dashboard/api with a valid session. */
  session?: Session;
  /** The limit of the body in bytes. */
  bodyLimit: number;
  /** Whether the route reads the body itself. */
  isUpload: boolean;
  /** The parsed body, before a route validates it; undefined without one. */
  sentBody?: unknown;
  /** The claim of an idempotency key, while the request runs. */
  claim?: Claim;
};

/** A property of the request: a weak map of all requests costs the garbage collector more than handling them. */
const CONTEXT = Symbol("context");
type WithContext = Request & { [CONTEXT]: RequestContext };

export function attachContext(request: Request, context: RequestContext) {
  (request as WithContext)[CONTEXT] = context;
}

/** Every request that reaches a route has one. */
export const contextOf = (request: Request): RequestContext => (request as WithContext)[CONTEXT];

/** Peers whose `X-Forwarded-For` was reported as ignored. */
const MOST_REPORTED = 100;
/** Prefixes of IPv6 networks that one customer may have, the usual one first. */
const IPV6_PREFIXES = [64, 56, 48];

/** Returns the client's address of a request, and logs peers that look like our own proxies but are not trusted. */
export function clientAddresses({ config, clock }: Deps) {
  const isTrusted = trustedProxies(config.trustedProxies);
  const reported = new LRUCache<string, number>({ max: MOST_REPORTED });
  return (request: Request, peer: string): string => {
    const forwarded = request.headers.get("x-forwarded-for");
    if (forwarded && isPrivate(peer) && !isTrusted(peer)) report(peer);
    return clientAddress(peer, forwarded, isTrusted);
  };

  function report(peer: string) {
    const at = reported.get(peer);
    if (at !== undefined && clock.elapsed() - at < HOUR) return;
    reported.set(peer, clock.elapsed());
    log.warn("X-Forwarded-For ignored: the peer is not in STILLUP_TRUSTED_PROXIES", { peer });
  }
}

type IsTrusted = (address: string) => boolean;

/** @param proxies IP addresses and CIDR ranges */
export function trustedProxies(proxies: string[]): IsTrusted {
  const ranges = proxies.map(parseRange);
  return (address) => {
    if (!ipaddr.isValid(address)) return false;
    const parsed = ipaddr.process(address);
    return ranges.some(([network, bits]) => {
      return network.kind() === parsed.kind() && parsed.match([network, bits]);
    });
  };
}

/** @throws when the text is neither an IP address nor a CIDR range */
function parseRange(text: string): [ipaddr.IPv4 | ipaddr.IPv6, number] {
  if (text.includes("/")) return ipaddr.parseCIDR(text);
  const address = ipaddr.process(text);
  return [address, address.kind() === "ipv4" ? 32 : 128];
}

/**
 * The client's address. `X-Forwarded-For` is used only from trusted proxies: its rightmost address that is not a
 * trusted proxy, since the client may have sent everything left of it.
 */
export function clientAddress(
  peer: string,
  forwarded: string | null,
  isTrusted: IsTrusted,
): string {
  if (!forwarded || !isTrusted(plain(peer))) return plain(peer);
  const named = forwarded.split(",").map((part) => plain(part.trim()));
  const client = named.findLast((address) => !isTrusted(address));
  return client && ipaddr.isValid(client) ? client : plain(peer);
}

/**
 * The networks that count against limits for an address, the narrowest first: for IPv4 the address itself, for IPv6 its
 * /64, /56 and /48, since a customer with many narrow networks would otherwise have as many limits.
 */
export function rangesOf(address: string): [string, ...string[]] {
  if (!ipaddr.IPv6.isValid(address)) return [address];
  const parts = ipaddr.IPv6.parse(address);
  const [usual, ...wider] = IPV6_PREFIXES.map((bits) => {
    const network = ipaddr.IPv6.networkAddressFromCIDR(`${parts}/${bits}`);
    return `${network}/${bits}`;
  });
  return [usual!, ...wider];
}

/** The narrowest of them. */
export const rangeOf = (address: string): string => rangesOf(address)[0];

/** Whether the address is one of a private network, as that of a proxy in front of us usually is. */
const isPrivate = (address: string): boolean =>
  ipaddr.isValid(address) && PRIVATE.has(ipaddr.process(address).range());

const PRIVATE = new Set(["private", "loopback", "linkLocal", "uniqueLocal", "carrierGradeNat"]);

/** `::ffff:192.0.2.1` is IPv4 address 192.0.2.1 written as IPv6. */
const plain = (address: string) =>
  address.includes(":") && ipaddr.isValid(address) ? ipaddr.process(address).toString() : address;
