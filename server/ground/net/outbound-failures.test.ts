import { expect, test } from "bun:test";
import { eachRow, yamlIn } from "../../../tests/each-row.ts";
import { startSite } from "../../../tests/site.ts";
import { type FailedExchange, reasonOfError, worstOf } from "./exchange.ts";
import { dropProxyVariables } from "./request.ts";
import { Late, startDeadlines } from "./send.ts";

const TABLES = yamlIn<{
  codes: [code: string, reason: string][];
  addresses: [reasons: FailedExchange["reason"][], worst: FailedExchange["reason"]][];
}>(import.meta.dir, "outbound-failures.yaml");

const errorWith = (code: string) => Object.assign(new TypeError("failed"), { code });

eachRow(TABLES.codes)("an error of the network has its reason", (code, reason) =>
  expect(reasonOfError(errorWith(code))).toBe(reason as never),
);

test("an error without a code is our own fault", () => {
  expect(reasonOfError(new Error("no"))).toBe("internal_error");
  expect(reasonOfError("no")).toBe("internal_error");
});

eachRow(TABLES.addresses)(
  "addresses that fail in several ways come to the one that says most",
  (reasons, worst) => {
    const failures = reasons.map((reason): FailedExchange => {
      const nothing = { address: null, tlsExpiresAt: null, dnsMs: null, elapsedMs: 0 };
      return { kind: "failed", reason, detail: "", ...nothing };
    });

    expect(worstOf(failures).reason).toBe(worst);
  },
);

test("a process that has run out of descriptors blames itself, also for what it cannot look up", async () => {
  const site = startSite({ "/": 200 });
  const script = `
    import { openSync } from "node:fs";
    import { createResolver } from "./server/ground/net/resolve.ts";
    import { systemClock } from "./server/ground/lib/clock.ts";
    import { labOutbound } from "./tests/outbound/lab.ts";
    const resolver = createResolver({ clock: systemClock, servers: ["127.0.0.1:9"] });
    const outbound = labOutbound({ resolver });
    const ask = async (url) => (await outbound.request(url, { timeoutMs: 5000, bodyCap: 1 })).reason;
    await ask("${site.url}");
    try {
      for (;;) openSync("/dev/null", "r");
    } catch {}
    console.log(await ask("${site.url}"), await ask("http://example.org/"));`;
  const limited = `ulimit -n 64; exec "$0" -e "$1"`;

  const child = Bun.spawn(["sh", "-c", limited, process.execPath, script], { stdout: "pipe" });
  const printed = await new Response(child.stdout).text();

  expect(printed).toBe("internal_error internal_error\n");
  await site.stop();
});

eachRow([
  [false, "conn_timeout"],
  [true, "read_timeout"],
])("a silent server fails by whether it can be connected to", async (isReachable, reason) => {
  const limits = { leftMs: 30, connectMs: 5, headersMs: 1000, signal: undefined };

  const deadlines = startDeadlines({ ...limits, isReachable: async () => isReachable });

  await expect(deadlines.headersLate).rejects.toEqual(new Late(reason as "conn_timeout"));
  deadlines.end();
});

test("the usual proxy variables are removed, and their names returned", () => {
  const env: Record<string, string | undefined> = {
    HTTP_PROXY: "http://a",
    https_proxy: "http://b",
    PATH: "/bin",
  };

  expect(dropProxyVariables(env)).toEqual(["HTTP_PROXY", "https_proxy"]);
  expect(env).toEqual({ PATH: "/bin" });
});
