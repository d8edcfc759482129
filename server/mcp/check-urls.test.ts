import { afterAll, expect, test } from "bun:test";
import { type Asker, onServer } from "../../tests/harness.ts";
import { startSite } from "../../tests/site.ts";
import { createWatch } from "../../tests/waits.ts";
import type { RequestContext } from "../http/caller.ts";
import { OPERATOR } from "../http/caller.ts";
import { checkUrls } from "./check-urls.ts";
import type { Session } from "./tool.ts";

const watch = createWatch();
const site = startSite({
  "/page": () =>
    new Response("<p>A page with words</p>", { headers: { "content-type": "text/html" } }),
  "/silent": () => {
    watch.changed();
    return new Promise<Response>(() => {});
  },
});
afterAll(() => site.stop());

let known = 0;
const silent = () => site.requests.filter(({ url }) => url.endsWith("/silent")).length;
const asked = (n: number) =>
  watch.when(
    () => silent() >= n,
    () => `${n} requests; seen: ${silent()}`,
  );

onServer("Checks of URLs for an assistant", (server) => {
  const sessionOf = (me: Asker, signal: AbortSignal): Session => ({
    deps: server().deps,
    caller: {
      accountId: me.accountId,
      accountNo: me.accountNo,
      tier: "business",
      permissions: { read: true, write: true },
      by: OPERATOR,
    },
    context: {} as RequestContext,
    async ask(_, given) {
      const { body } = await me.post("/api/v1/links/verdicts", given!.body);
      known += 1;
      watch.changed();
      return body.data;
    },
    signal,
  });

  test("what has not ended when the time is over is pending", async () => {
    const me = await server().account();
    const over = new AbortController();
    const urls = [`${site.url}/gone`, `${site.url}/silent`];

    const checking = checkUrls(sessionOf(me, over.signal), { urls });
    await asked(1);
    over.abort();

    const { results, summary } = await checking;
    expect(results[1]).toMatchObject({ verdict: null, known: false, pending: true });
    expect(summary.pending).toBeGreaterThan(0);
  });

  test("20 calls wait at once, of an account 10 in a minute", async () => {
    const accounts = [await server().account(), await server().account(), await server().account()];
    const over = new AbortController();
    const call = (me: Asker) =>
      checkUrls(sessionOf(me, over.signal), { urls: [`${site.url}/silent`] });
    const refused = (me: Asker) => call(me).catch(({ code }) => code);

    const [all, before] = [known + 20, silent()];
    const calls = accounts.slice(0, 2).flatMap((me) => Array.from({ length: 10 }, () => call(me)));
    await watch.when(
      () => known === all,
      () => `20 calls; seen: ${20 - all + known}`,
    );
    await asked(before + 1);

    expect(await refused(accounts[0]!)).toBe("RATE_LIMITED");
    expect(await refused(accounts[2]!)).toBe("SERVICE_UNAVAILABLE");
    over.abort();
    expect((await Promise.all(calls)).map(({ summary }) => summary.pending)).toEqual(
      Array(20).fill(1),
    );
  });
});
