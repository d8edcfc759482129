import type { BodyProblem } from "../../ground/net/exchange.ts";
import { LONGEST_HOLD_WAIT_MS, withPoliteness } from "../../judge/politeness/politeness.ts";
import { locationOf } from "../../judge/probe/hops.ts";
import type { Prober } from "../../judge/probe/probe.ts";
import { type Get, SourceFailed, type SourceReason } from "./fetching.ts";

type Got = Awaited<ReturnType<Get>>;

/** No source has a longer answer. */
const MOST_BYTES = 1024 * 1024 * 1024;
/** Bytes that may wait for their reader. */
const WAITING_BYTES = 256 * 1024;

const REASONS: Record<BodyProblem, SourceReason> = {
  body_incomplete: "cut_off",
  body_undecodable: "unreadable",
  read_timeout: "cut_off",
};

type GetOptions = {
  /** For one request with its body. */
  timeoutMs: number;
  /** Until its headers have arrived. */
  headersMs?: number;
  /** Ends requests. */
  signal?: AbortSignal;
};

/** Returns a `Get` that sends through the outbound requests of checks, when it is the site's turn. */
export function createGet(
  { outbound, politeness, userAgent }: Pick<Prober, "outbound" | "politeness" | "userAgent">,
  { timeoutMs, headersMs = timeoutMs, signal }: GetOptions,
): Get {
  return (url, headers) => {
    const got = Promise.withResolvers<Got>();
    const stop = new AbortController();
    const { body, restart, take, end } = createBody(() => stop.abort());
    const ending = signal ? AbortSignal.any([signal, stop.signal]) : stop.signal;
    const send = () =>
      outbound.request(url, {
        headers: { "User-Agent": userAgent, ...headers },
        timeoutMs,
        headersMs,
        signal: ending,
        bodyCap(status, received) {
          got.resolve({ kind: "response", status, headers: received, body });
          restart();
          return locationOf(status, received) === null ? MOST_BYTES : 0;
        },
        onBody: take,
      });
    const wait = { maxHoldMs: LONGEST_HOLD_WAIT_MS, signal };
    withPoliteness(politeness, url.host, send, wait).then(
      (exchange) => {
        if (exchange.kind === "held") return got.resolve(exchange);
        if (exchange.kind === "failed") {
          got.resolve(exchange);
          return end(new SourceFailed("cut_off", exchange.detail));
        }
        const { bodyProblem, truncated } = exchange;
        if (bodyProblem) end(new SourceFailed(REASONS[bodyProblem], "The answer ends early."));
        else end(truncated ? new SourceFailed("too_large", "The answer is too large.") : null);
      },
      (error: unknown) => {
        got.reject(error);
        end(error);
      },
    );
    return got.promise;
  };
}

/** A body that is filled as fast as it is read. */
function createBody(onCancel: () => void) {
  let controller!: ReadableStreamDefaultController<Uint8Array>;
  let isOver = false;
  let given = 0;
  let known = 0;
  let resume = () => {};
  let failure: unknown = null;
  // An error would discard what waits to be read.
  const failWhenEmpty = () => {
    if (controller.desiredSize === WAITING_BYTES) controller.error(failure);
  };
  const body = new ReadableStream<Uint8Array>(
    {
      start(own) {
        controller = own;
      },
      pull() {
        resume();
        if (failure !== null) failWhenEmpty();
      },
      cancel() {
        isOver = true;
        onCancel();
      },
    },
    new ByteLengthQueuingStrategy({ highWaterMark: WAITING_BYTES }),
  );
  return {
    body,
    /** The body arrives from its beginning, since a request may be repeated when it loses a short body. */
    restart() {
      known = given;
      given = 0;
    },
    take(piece: Uint8Array): void | Promise<void> {
      if (isOver) return;
      // A copy, since the reader of the body may reuse its memory.
      const news = piece.slice(Math.max(0, known - given));
      given += piece.length;
      if (news.length === 0) return;
      controller.enqueue(news);
      if (controller.desiredSize! > 0) return;
      return new Promise((resolve) => {
        resume = resolve;
      });
    },
    /** @param error null if the body is whole */
    end(error: unknown) {
      if (isOver) return;
      isOver = true;
      failure = error;
      if (error === null) controller.close();
      else failWhenEmpty();
    },
  };
}
