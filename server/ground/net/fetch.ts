import type { FailureReason } from "./exchange.ts";
import type { Outbound } from "./request.ts";

/** There was no response. */
export class NoResponse extends Error {
  constructor(
    readonly reason: FailureReason,
    message: string,
  ) {
    super(message);
  }
}

type FetchOptions = {
  method: string;
  headers: Record<string, string>;
  body?: unknown;
  signal?: AbortSignal | undefined;
};

/**
 * Returns a `fetch` for libraries that want one. Its requests go through `outbound`: no redirect is followed, and a
 * longer body than `bodyCap` bytes is refused.
 * @throws NoResponse
 */
export const fetchThrough =
  (outbound: Outbound, { timeoutMs, bodyCap }: { timeoutMs: number; bodyCap: number }) =>
  async (url: string, { method, headers, body, signal }: FetchOptions): Promise<Response> => {
    const exchange = await outbound.request(url, {
      method: method === "POST" ? "POST" : "GET",
      headers,
      timeoutMs,
      bodyCap,
      signal,
      ...(body != null && { body: String(body) }),
    });
    if (exchange.kind === "failed") throw new NoResponse(exchange.reason, exchange.detail);
    if (exchange.truncated || exchange.bodyProblem !== null) {
      throw new NoResponse(
        "http_malformed",
        `The response of ${new URL(url).host} is too long or incomplete.`,
      );
    }
    const received = new Headers(exchange.headers);
    // The body is decompressed already.
    received.delete("content-encoding");
    received.delete("content-length");
    const bodyless = [204, 205, 304].includes(exchange.status);
    return new Response(bodyless ? null : Buffer.from(exchange.body), {
      status: exchange.status,
      headers: received,
    });
  };
