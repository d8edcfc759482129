import { Counter, Gauge, Histogram, Registry } from "prom-client";
import type { ReplacementKind, RunStatus, SourceKind } from "../ground/lib/vocabulary.ts";
import type { Reason, Verdict } from "../judge/reasons/reasons.ts";
import type { CheckerProcess } from "./processes/pool.ts";

/** A finished check, as it is counted. */
type Checked = { status: Verdict; reason: Reason };

/** `route` is a template such as `/api/v1/links/:id`: real paths would create unlimited labels. */
type Answered = { method: string; route: string; status: number };

/** What this process counts. No label is an account, an address or a URL. */
export type Metrics = {
  /** Returns all metrics in the format of Prometheus. */
  text(): Promise<string>;
  checkStarted(): void;
  /** A check that is under way begins to wait for its turn at a site, or goes on. */
  checkWaits(isWaiting: boolean): void;
  checkEnded(check: Checked, ms: number): void;
  /** A check that began was deferred before its first request. */
  checkDeferred(): void;
  /** A check was deferred before it began. */
  checkNotBegun(): void;
  /** Counts an attempt of a delivery. `result` is the class of its status code, such as `2xx`, or why there was none. */
  attemptEnded(result: string, ms: number): void;
  requestEnded(answered: Answered, ms: number): void;
  /** Counts a message to the mail server. `kind` is `alert`, `test` or that of a mail to a person. */
  mailEnded(kind: string, outcome: string, ms: number): void;
  /** Counts a summary that was due: `sent`, or `quiet` since nothing happened. */
  summaryEnded(outcome: "sent" | "quiet"): void;
  /** Counts an override that a check has ended. */
  overrideEnded(why: "expired" | "worked" | "changed"): void;
  /** Counts what a comparison with a remembered page says. */
  pageChanged(kind: string): void;
  /** Counts a run of a source, and how long it took; 0 if it never began. */
  sourceEnded(kind: SourceKind, end: RunStatus, ms: number): void;
  /** Counts what runs have met and changed. */
  sourceWrote(pages: Record<string, number>, links: Record<string, number>): void;
  /** Counts a sign-in. `outcome` is `signed_in`, or why it failed. */
  signInEnded(via: "password" | "oidc", outcome: string): void;
  /** Counts a request to the registry of a domain. */
  registryAsked(result: string): void;
  /** Counts a request to an archive: `result` is `429`, the class of the status, or why there was no answer. */
  archiveAsked(kind: string, result: string): void;
  /** Counts URLs that were accepted in place of those of links, by where they are from. */
  replacementsAccepted(kind: ReplacementKind | "url", count: number): void;
  /** Counts an address that was found to suggest for a dead link. */
  suggestionFound(kind: string): void;
  /** Registers what reads the state of the checker processes. */
  watchProcesses(read: () => CheckerProcess[]): void;
  /** The checker processes; none where this process checks links itself, or not at all. */
  processes(): CheckerProcess[];
};

const CHECK_SECONDS = [0.1, 0.5, 1, 2.5, 5, 10, 30, 60];
const DELIVERY_SECONDS = [0.05, 0.25, 1, 2.5, 5, 15];
const REQUEST_SECONDS = [0.005, 0.025, 0.1, 0.5, 2.5];
const RUN_SECONDS = [1, 10, 60, 600, 3600, 6 * 3600, 24 * 3600];
const METHODS = new Set(["GET", "HEAD", "POST", "PATCH", "DELETE", "OPTIONS"]);

export function createMetrics(): Metrics {
  const registry = new Registry();
  const registers = [registry];
  const underWay = new Gauge({
    name: "stillup_checks_under_way",
    help: "Checks under way now. If this stays near stillup_check_places, links are late: raise STILLUP_CHECK_CONCURRENCY.",
    registers,
  });
  const checks = new Counter({
    name: "stillup_checks_total",
    help: "Finished checks, by status and reason. A sudden rise of one reason for many links is often your own network.",
    labelNames: ["status", "reason"] as const,
    registers,
  });
  const deferred = new Counter({
    name: "stillup_checks_deferred_total",
    help: "Checks deferred before their first request: the site is rate-limiting or its queue is full, or slow sites use all their slots.",
    registers,
  });
  const checkSeconds = new Histogram({
    name: "stillup_check_duration_seconds",
    help: "Duration of checks, with all attempts and waits for busy sites.",
    buckets: CHECK_SECONDS,
    registers,
  });
  const mails = new Counter({
    name: "stillup_mails_total",
    help: "Messages handed to the mail server, by kind and outcome. `server` means that the mail server did not work.",
    labelNames: ["kind", "outcome"] as const,
    registers,
  });
  const mailSeconds = new Histogram({
    name: "stillup_mail_seconds",
    help: "Duration of handing a message to the mail server.",
    buckets: DELIVERY_SECONDS,
    registers,
  });
  const overridesEnded = new Counter({
    name: "stillup_overrides_ended_total",
    help: "Overrides that a check has ended: their time was over (`expired`), it found the link alive (`worked`), or it found something else (`changed`).",
    labelNames: ["why"] as const,
    registers,
  });
  const pageChanges = new Counter({
    name: "stillup_link_changes_total",
    help: "What comparisons of pages with the remembered ones have reported.",
    labelNames: ["kind"] as const,
    registers,
  });
  const registryRequests = new Counter({
    name: "stillup_rdap_requests_total",
    help: "Requests to the registries of domains, by result. Only `known` and `absent` are answers.",
    labelNames: ["result"] as const,
    registers,
  });
  const archiveRequests = new Counter({
    name: "stillup_archive_requests_total",
    help: "Requests to archives, by kind (`index`, `timemap`, `capture`, `save`, `status`) and result: `429`, the class of the status, or why there was no answer.",
    labelNames: ["kind", "result"] as const,
    registers,
  });
  const replacements = new Counter({
    name: "stillup_replacements_total",
    help: "URLs that people accepted in place of those of links: typed for one link (`url`), by a rule for many (`rule`), or of a suggestion, by its kind.",
    labelNames: ["kind"] as const,
    registers,
  });
  const suggestionsFound = new Counter({
    name: "stillup_suggestions_total",
    help: "Suggestions that lookups have found for dead links, by kind.",
    labelNames: ["kind"] as const,
    registers,
  });
  const summaries = new Counter({
    name: "stillup_summaries_total",
    help: "Summaries that were due: sent, or quiet since nothing happened.",
    labelNames: ["outcome"] as const,
    registers,
  });
  const signIns = new Counter({
    name: "stillup_sign_ins_total",
    help: "Sign-ins by password and by single sign-on, by outcome. Many misconfigured ones: compare the settings with those of the provider.",
    labelNames: ["via", "outcome"] as const,
    registers,
  });
  const runs = new Counter({
    name: "stillup_source_runs_total",
    help: "Runs of sources, by kind and end. Only complete ones take links away.",
    labelNames: ["kind", "end"] as const,
    registers,
  });
  const runSeconds = new Histogram({
    name: "stillup_source_run_seconds",
    help: "Duration of runs of sources.",
    buckets: RUN_SECONDS,
    registers,
  });
  const sourcePages = new Counter({
    name: "stillup_source_pages_total",
    help: "Pages that runs of sources have met, by result.",
    labelNames: ["result"] as const,
    registers,
  });
  const sourceLinks = new Counter({
    name: "stillup_source_links_total",
    help: "Links that runs of sources have changed, by change.",
    labelNames: ["change"] as const,
    registers,
  });
  const attempts = new Counter({
    name: "stillup_delivery_attempts_total",
    help: "Attempts of deliveries to webhooks, by class of the response or reason of the failure.",
    labelNames: ["outcome"] as const,
    registers,
  });
  const attemptSeconds = new Histogram({
    name: "stillup_delivery_duration_seconds",
    help: "Duration of attempts of deliveries to webhooks.",
    buckets: DELIVERY_SECONDS,
    registers,
  });
  const requestSeconds = new Histogram({
    name: "stillup_http_request_duration_seconds",
    help: "Time until the response to a request begins. Watch 5xx, and the times of the routes you use.",
    labelNames: ["method", "route", "status"] as const,
    buckets: REQUEST_SECONDS,
    registers,
  });

  let processes = (): CheckerProcess[] => [];
  const names = { labelNames: ["process"] as const, registers };
  new Gauge({
    ...names,
    name: "stillup_checker_process_memory_bytes",
    help: "Memory of a checker process, or of the one that reads sources (`reader`); 0 while it does not run. Above 1 GiB it is replaced.",
    collect() {
      for (const { name, memoryBytes } of processes()) this.set({ process: name }, memoryBytes);
    },
  });
  const countProcesses = (name: string, help: string, count: (one: CheckerProcess) => number) =>
    new Counter({
      ...names,
      name: `stillup_checker_process_${name}_total`,
      help,
      collect() {
        this.reset();
        for (const one of processes()) this.inc({ process: one.name }, count(one));
      },
    });
  countProcesses(
    "restarts",
    "How often a checker process ended and was replaced. If this grows, the log says why.",
    ({ restarts }) => restarts,
  );
  countProcesses("checks", "Checks that a checker process has finished.", ({ checks }) => checks);

  return {
    text: () => registry.metrics(),
    watchProcesses(read) {
      processes = read;
    },
    processes: () => processes(),
    checkStarted: () => underWay.inc(),
    checkWaits: (isWaiting) => (isWaiting ? underWay.dec() : underWay.inc()),
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
    mailEnded(kind, outcome, ms) {
      mails.inc({ kind, outcome });
      mailSeconds.observe(ms / 1000);
    },
    summaryEnded: (outcome) => summaries.inc({ outcome }),
    registryAsked: (result) => registryRequests.inc({ result }),
    archiveAsked: (kind, result) => archiveRequests.inc({ kind, result }),
    replacementsAccepted: (kind, count) => replacements.inc({ kind }, count),
    suggestionFound: (kind) => suggestionsFound.inc({ kind }),
    overrideEnded: (why) => overridesEnded.inc({ why }),
    pageChanged: (kind) => pageChanges.inc({ kind }),
    sourceEnded(kind, end, ms) {
      runs.inc({ kind, end });
      if (ms > 0) runSeconds.observe(ms / 1000);
    },
    sourceWrote(pages, links) {
      for (const [result, count] of Object.entries(pages)) sourcePages.inc({ result }, count);
      for (const [change, count] of Object.entries(links)) sourceLinks.inc({ change }, count);
    },
    signInEnded: (via, outcome) => signIns.inc({ via, outcome }),
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
