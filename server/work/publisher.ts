import { withTimeout } from "../lib/clock.ts";
import { describeError, log, logTransitions } from "../lib/log.ts";
import { addTo, nothingPending, type Pending } from "./topics.ts";

/** Changes within this time are sent as one message, since the database commits one message after another. */
const GATHER_MS = 100;
const RETRY_MS = 1000;
/** Limit for one message, in case the connection swallows what is sent. */
const TIMEOUT_MS = 10_000;
/** Limit while this process stops. */
const LAST_TIMEOUT_MS = 1000;

type Publisher = {
  /** Sends soon what the callback adds, together with what others add. */
  publish(add: (pending: Pending) => void): void;
  /** Sends what is left. */
  stop(): Promise<void>;
};

/** Sends one message after another, so that a slow database does not get more and more at once. */
export function createPublisher(send: (pending: Pending) => Promise<void>): Publisher {
  let pending = nothingPending();
  let hasPending = false;
  let sending: Promise<void> | null = null;
  let timer: Timer | null = null;
  let isFailing = false;
  let isStopped = false;
  const note = logTransitions(
    (error) => {
      isFailing = true;
      log.warn("failed to notify other nodes, which poll for changes", describeError(error));
    },
    () => {
      isFailing = false;
      log.info("other nodes are notified again");
    },
  );

  function publish(add: (pending: Pending) => void) {
    add(pending);
    hasPending = true;
    if (!sending) sendIn(GATHER_MS);
  }

  function sendIn(ms: number) {
    if (isStopped) return;
    timer ??= setTimeout(sendNow, ms);
    timer.unref();
  }

  function sendNow() {
    timer = null;
    const message = pending;
    pending = nothingPending();
    hasPending = false;
    sending = withTimeout(TIMEOUT_MS, send(message))
      .then(
        () => note(null),
        (error) => retain(message, error),
      )
      .finally(() => {
        sending = null;
        if (hasPending) sendIn(isFailing ? RETRY_MS : GATHER_MS);
      });
  }

  function retain({ changed, counted, work }: Pending, error: unknown) {
    note(error);
    addTo(pending.changed, changed);
    addTo(pending.counted, counted);
    pending.work ||= work;
    hasPending = true;
  }

  async function stop() {
    isStopped = true;
    if (timer) clearTimeout(timer);
    await withTimeout(LAST_TIMEOUT_MS, sending ?? Promise.resolve()).catch(() => {});
    if (hasPending && !isFailing) await withTimeout(LAST_TIMEOUT_MS, send(pending)).catch(() => {});
  }

  return { publish, stop };
}
