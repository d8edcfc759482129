import { expect, test } from "bun:test";
import { Late, startDeadlines } from "../../server/outbound/deadlines.ts";
import { bodyProblemOf, reasonOfError } from "../../server/outbound/failures.ts";
import { dropProxyVariables } from "../../server/outbound/proxy-variables.ts";

const errorWith = (code: string) => Object.assign(new TypeError("failed"), { code });

test.each([
  ["EHOSTUNREACH", "conn_unreachable"],
  ["ENETUNREACH", "conn_unreachable"],
  ["EACCES", "conn_unreachable"],
  ["ECONNREFUSED", "conn_refused"],
  ["EMFILE", "internal_error"],
  ["ENOMEM", "internal_error"],
  ["EADDRNOTAVAIL", "internal_error"],
  ["SELF_SIGNED_CERT_IN_CHAIN", "tls_untrusted"],
  ["UNABLE_TO_GET_ISSUER_CERT_LOCALLY", "tls_untrusted"],
  ["SomethingNew", "internal_error"],
])("an error called %s is %s", (code, reason) =>
  expect(reasonOfError(errorWith(code))).toBe(reason as never),
);

test("an error without a code is our own fault", () => {
  expect(reasonOfError(new Error("no"))).toBe("internal_error");
  expect(reasonOfError("no")).toBe("internal_error");
});

test("a body that cannot be unpacked is told from one that broke off", () => {
  expect(bodyProblemOf(errorWith("BrotliDecompressionError"))).toBe("body_undecodable");
  expect(bodyProblemOf(errorWith("ECONNRESET"))).toBe("body_incomplete");
});

test.each([
  [false, "conn_timeout"],
  [true, "read_timeout"],
])("a silent server that can be connected to (%p) is a %s", async (isReachable, reason) => {
  const limits = { leftMs: 30, connectMs: 5, headersMs: 1000, signal: undefined };

  const deadlines = startDeadlines({ ...limits, isReachable: async () => isReachable });

  await expect(deadlines.headersLate).rejects.toEqual(new Late(reason as "conn_timeout"));
  deadlines.end();
});

test("the usual proxy variables are taken away, and it is told which", () => {
  const env: Record<string, string | undefined> = {
    HTTP_PROXY: "http://a",
    https_proxy: "http://b",
    PATH: "/bin",
  };

  expect(dropProxyVariables(env)).toEqual(["HTTP_PROXY", "https_proxy"]);
  expect(env).toEqual({ PATH: "/bin" });
});
