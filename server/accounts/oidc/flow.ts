import type { Config } from "../../ground/config/config.ts";
import { describeError, log } from "../../ground/lib/log.ts";
import { contextOf, type Session } from "../../http/caller.ts";
import type { Deps } from "../../work/deps.ts";
import { isUpgradeUnderWay } from "../../work/nodes.ts";
import { cookieAttributes, cookiePrefix, sessionCookie, sessionOf } from "../doors.ts";
import type { Visitor } from "../sessions.ts";
import { endSetup } from "../users.ts";
import {
  type Arrival,
  acceptInvitation,
  arrive,
  linkIdentity,
  proveByIdentity,
  setUpByIdentity,
} from "./people.ts";
import { SignInProblem } from "./problems.ts";
import { type Checks, newChecks, type Provider } from "./provider.ts";

/** What someone wants to do at the provider, and where they go afterwards. */
export type Wish = { to: string } & (
  | { purpose: "sign-in" }
  /** `token` is that of the one-time link, or of the set-up. */
  | { purpose: "invite" | "setup"; token: string }
  /** `user` and `session` are those that began it. */
  | { purpose: "link" | "prove"; user: string; session: string }
);

/** A sign-in under way, as the browser keeps it, sealed. */
type UnderWay = { wish: Wish; checks: Checks; at: number };

const LONGEST_MS = 10 * 60_000;
/** Each tab has its own. */
const MOST_COOKIES = 5;
/** No other sealed text begins like this. */
const MARK = "oidc ";

/** Where the browser goes next, and the cookies that it gets. */
export type Step = { url: string; cookies: string[] };

/**
 * Begins a sign-in at the provider. What protects it is sealed in a cookie, so that any node can finish it.
 * @throws SignInProblem
 */
export async function begin(
  deps: Deps,
  provider: Provider,
  request: Request,
  wish: Wish,
): Promise<Step> {
  // An older node would not end such sessions in time.
  if (isUpgradeUnderWay(deps)) {
    throw new SignInProblem("upgrade_under_way", "A node of an earlier version is running.");
  }
  const checks = newChecks();
  const url = await provider.authorizationUrl(checks, wish.purpose === "prove");
  const underWay: UnderWay = { wish, checks, at: deps.clock.now() };
  const sealed = Buffer.from(deps.secrets.seal(MARK + JSON.stringify(underWay)), "base64");
  const name = cookieName(deps.config, checks.state);
  const cookie = `${name}=${sealed.toString("base64url")}; Max-Age=${LONGEST_MS / 1000}; ${cookieAttributes(deps.config)}`;
  const before = cookiesOf(deps.config, request);
  const surplus = before.slice(0, Math.max(0, before.length - MOST_COOKIES + 1));
  return { url, cookies: [cookie, ...surplus.map((each) => removal(deps.config, each))] };
}

/**
 * Finishes it. Problems of the provider and the browser are not thrown: they lead to a page with a sentence.
 * @param countGuess is called for a callback that was not begun here; it may throw
 */
export async function finish(
  deps: Deps,
  provider: Provider,
  request: Request,
  { visitor, countGuess }: { visitor: Visitor; countGuess(): Promise<void> },
): Promise<Step> {
  const { search, searchParams } = new URL(request.url);
  const states = searchParams.getAll("state");
  const name = cookieName(deps.config, states[0] ?? "");
  const underWay = states.length === 1 ? open(deps, request, name, states[0]!) : null;
  const cookies = [removal(deps.config, name)];
  if (!underWay) await countGuess();
  try {
    if (!underWay) throw new SignInProblem("expired", "There is no sign-in of this state.");
    const { wish, checks } = underWay;
    const redeemed = await provider.redeem(search.slice(1), checks);
    const arrival = { oidc: provider.settings, ...redeemed, visitor };
    const token = await fulfil(deps, request, wish, arrival);
    provider.noteSuccess();
    if (token !== null) cookies.push(sessionCookie(deps.config, token));
    deps.metrics.signInEnded("oidc", "signed_in");
    return { url: wish.to, cookies };
  } catch (error) {
    if (!(error instanceof SignInProblem)) throw error;
    const { problem, detail, facts } = error;
    log.warning("sign-in at the provider failed", {
      problem,
      detail: detail.slice(0, 500),
      ...facts,
      request: contextOf(request).requestId,
      address: visitor.address(),
    });
    if (problem !== "expired") provider.noteFailure(error);
    deps.metrics.signInEnded("oidc", problem);
    return { url: pageOf(underWay, problem), cookies };
  }
}

/** Returns the token of a new session; null if the browser keeps its own. */
async function fulfil(
  deps: Deps,
  request: Request,
  wish: Wish,
  arrival: Arrival,
): Promise<string | null> {
  const present = await sessionOf(deps, request);
  // The new session replaces the one that the browser has.
  const visitor = { ...arrival.visitor, sessionHash: present?.tokenHash };
  const entry = { ...arrival, visitor };
  if (wish.purpose === "sign-in") return (await arrive(deps, entry)).token;
  if (wish.purpose === "invite") return (await acceptInvitation(deps, entry, wish.token)).token;
  if (wish.purpose === "setup") {
    const { token } = await setUpByIdentity(deps, entry, wish.token);
    await endSetup(deps);
    return token;
  }
  const session = requireSessionOf(present, wish);
  const act = wish.purpose === "link" ? linkIdentity : proveByIdentity;
  await act(deps, arrival, session);
  return null;
}

/** The session that began it, unless it has ended or is another now. */
function requireSessionOf(session: Session | null, wish: Wish): Session {
  const isIt =
    "session" in wish && session?.tokenHash === wish.session && session.user.id === wish.user;
  if (session && isIt) return session;
  throw new SignInProblem("expired", "The session that began it has ended.");
}

/** Someone who is signed in returns to their page, which shows the problem. */
function pageOf(underWay: UnderWay | null, problem: string): string {
  const isSignedIn = underWay?.wish.purpose === "link" || underWay?.wish.purpose === "prove";
  const page = isSignedIn ? underWay.wish.to.split(/[?#]/)[0] : "/sign-in";
  return `${page}?problem=${problem}`;
}

/**
 * A path of this server, or `/` for anything else: `//host` and `/\host` lead away, and browsers drop control
 * characters.
 * @param base the path below which the server is, which others may have put before it
 */
export function ownPath(given: string | undefined, base = ""): string {
  const to = given?.startsWith(`${base}/`) ? given.slice(base.length) : given;
  const isPath = to !== undefined && /^\/(?![/\\])[^\p{C}\\]*$/u.test(to);
  return isPath && to.length <= LONGEST_PATH ? to : "/";
}

const LONGEST_PATH = 2000;

function open(
  { secrets, clock }: Deps,
  request: Request,
  name: string,
  state: string,
): UnderWay | null {
  const value = new Bun.CookieMap(request.headers.get("cookie") ?? "").get(name);
  try {
    const text = secrets.open(Buffer.from(value ?? "", "base64url").toString("base64"));
    if (!text.startsWith(MARK)) return null;
    const underWay: UnderWay = JSON.parse(text.slice(MARK.length));
    const ageMs = clock.now() - underWay.at;
    return underWay.checks.state === state && ageMs <= LONGEST_MS ? underWay : null;
  } catch (error) {
    log.debug("cookie of a sign-in cannot be read", describeError(error));
    return null;
  }
}

const prefixOf = (config: Config) => `${cookiePrefix(config)}oidc-`;

/** State is sent by strangers, and a name has only some characters. */
const cookieName = (config: Config, state: string) =>
  prefixOf(config) + state.slice(0, 8).replace(/[^\w-]/g, "_");

const cookiesOf = (config: Config, request: Request): string[] =>
  [...new Bun.CookieMap(request.headers.get("cookie") ?? "").keys()].filter((name) =>
    name.startsWith(prefixOf(config)),
  );

const removal = (config: Config, name: string) =>
  `${name}=; Max-Age=0; ${cookieAttributes(config)}`;
