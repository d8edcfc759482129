import { linkByOperator } from "../server/accounts/oidc/identities.ts";
import { createAccount } from "../server/accounts/users.ts";
import { createService } from "../server/app/app.ts";
import { openDeps } from "../server/app/build.ts";
import { readConfig } from "../server/ground/config/config.ts";
import { systemClock } from "../server/ground/lib/clock.ts";
import { oidcSettings, openSurfer, startOidcHost } from "../tests/oidc.ts";
import { newHome } from "./program.ts";
import { type Note, p99Of } from "./table.ts";

const SIGN_INS = 300;

/** Sign-ins at a provider on this machine, one after another: what the server adds to the provider's own time. */
export async function signIns(note: Note): Promise<void> {
  // With the address in the ID token, as Keycloak, authentik, Google and Entra send it.
  const host = await startOidcHost({ conformIdTokenClaims: false });
  const config = readConfig({ ...(await newHome()), ...oidcSettings(host.issuer) });
  const { deps } = await openDeps(config, systemClock);
  const owner = {
    email: "bench@example.org",
    tier: "business",
    passwordHash: null,
    isAdmin: true,
  } as const;
  const made = await createAccount(deps, owner);
  await linkByOperator(deps, made.owner, { issuer: host.issuer, subject: "s1" });
  host.people.set("s1", { email: owner.email });
  host.signsIn("s1");
  const { front } = await createService(deps);
  const server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: front });
  let providerMs = 0;
  host.answers(async (_path, next) => {
    const startedAt = performance.now();
    const response = await next();
    providerMs += performance.now() - startedAt;
    return response;
  });
  const own: number[] = [];
  const startedAt = performance.now();
  const asked: number[] = [];
  for (let n = 0; n < SIGN_INS; n++) {
    const surfer = openSurfer({ url: server.url.href.replace(/\/$/, "") });
    const callback = await surfer.upToCallback((await surfer.start()).url);
    providerMs = 0;
    const before = host.requests.length;
    const beganAt = performance.now();
    const page = await surfer.visit(callback);
    if (page !== "/") throw new Error(`The sign-in ended at ${page}.`);
    own.push(performance.now() - beganAt - providerMs);
    asked.push(host.requests.length - before);
  }
  const seconds = (performance.now() - startedAt) / 1000;
  note("callback to session without the provider's time, p99 ms", p99Of(own), {
    most: 30,
    digits: 1,
  });
  const [first, ...later] = asked;
  // With those for its keys, which are kept.
  note("requests to the provider after the redirect, first sign-in", first!);
  note("the same later, at most", Math.max(...later), { most: 1 });
  note("whole sign-ins a second, with a provider in the same process", SIGN_INS / seconds);
  await server.stop(true);
  await host.stop();
  await deps.store.engine.close();
}
