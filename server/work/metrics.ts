import { Counter, Gauge, Histogram, Registry } from "prom-client";
import type { Reason, Verdict } from "../verdict/reasons/reasons.ts";

/** What a check came to, as far as it is counted. */
type Checked = { status: Verdict; reason: Reason };

/** `route` is a template such as `/api/v1/links/:id`: what strangers type would make labels without end. */
type Answered = { method: string; route: string; status: number };

/** What this process counts while it works. None of it is told by account, address or URL. */
export type Metrics = {
  /** All that was counted so far, as Prometheus reads it. */
  text(): Promise<string>;
  checkStarted(): void;
  checkEnded(came: Checked, ms: number): void;
  /** The check that began comes later: nothing was asked. */
  checkDeferred(): void;
  /** A check did not even begin, and comes later. */
  checkNotBegun(): void;
  /** An attempt at a delivery. `result` is the class of its status code, such as `2xx`, or why none came. */
  attemptEnded(result: string, ms: number): void;
  requestEnded(answered: Answered, ms: number): void;
};

const CHECK_SECONDS = [0.1, 0.5, 1, 2.5, 5, 10, 30, 60];
const DELIVERY_SECONDS = [0.05, 0.25, 1, 2.5, 5, 15];
const REQUEST_SECONDS = [0.005, 0.025, 0.1, 0.5, 2.5];
const METHODS = new Set(["GET", "HEAD", "POST", "PATCH", "DELETE", "OPTIONS"]);

export function createMetrics(): Metrics {
  const registry = new Registry();
  const registers = [registry];
  const underWay = new Gauge({
    name: "stillup_checks_under_way",
    help: "Checks under way now. Near stillup_check_places for long, links are late: raise STILLUP_CHECK_CONCURRENCY.",
    registers,
  });
  const checks = new Counter({
    name: "stillup_checks_total",
    help: "Checks that were made, by what they came to. A sudden rise of one reason at many links is often your own network.",
    labelNames: ["status", "reason"] as const,
    registers,
  });
  const deferred = new Counter({
    name: "stillup_checks_deferred_total",
    help: "Checks that were put off before any request: the site is rate-limiting or has enough links in line, or slow sites use all the places that they may use.",
    registers,
  });
  const checkSeconds = new Histogram({
    name: "stillup_check_duration_seconds",
    help: "How long whole checks took, with all their attempts and waits for busy sites.",
    buckets: CHECK_SECONDS,
    registers,
  });
  const attempts = new Counter({
    name: "stillup_delivery_attempts_total",
    help: "Attempts at deliveries to webhooks, by the class of the answer or by why there was none.",
    labelNames: ["outcome"] as const,
    registers,
  });
  const attemptSeconds = new Histogram({
    name: "stillup_delivery_duration_seconds",
    help: "How long receivers of webhooks took to answer, or to fail to.",
    buckets: DELIVERY_SECONDS,
    registers,
  });
  const requestSeconds = new Histogram({
    name: "stillup_http_request_duration_seconds",
    help: "How long requests to this server took until their answer began. Watch 5xx, and the time of the routes you use.",
    labelNames: ["method", "route", "status"] as const,
    buckets: REQUEST_SECONDS,
    registers,
  });

  return {
    text: () => registry.metrics(),
    checkStarted: () => underWay.inc(),
    checkEnded({ status, reason }, ms) {
      underWay.dec();
      checks.inc({ status, reason });
      checkSeconds.observe(ms / 1000);
    },
    checkDeferred() {
      underWay.dec();
      deferred.inc();
    },
    checkNotBegun: () => deferred.inc(),
    attemptEnded(result, ms) {
      attempts.inc({ outcome: result });
      attemptSeconds.observe(ms / 1000);
    },
    requestEnded({ method, route, status }, ms) {
      const labels = {
        method: METHODS.has(method) ? method : "other",
        route,
        status: `${Math.floor(status / 100)}xx`,
      };
      requestSeconds.observe(labels, ms / 1000);
    },
  };
}
