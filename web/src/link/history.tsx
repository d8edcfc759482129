import { ChevronRight, Plus } from "lucide-preact";
import { useState } from "preact/hooks";
import { Band } from "../chart/band.tsx";
import type { Seen } from "../data/evidence.ts";
import { counted, many, milliseconds, shortLength } from "../data/format.ts";
import type { LinkDetail } from "../data/links.ts";
import { reasonWords, STATUS_WORDS, statusText } from "../data/words.ts";
import { Button } from "../ui/button.tsx";
import { Loaded } from "../ui/loaded.tsx";
import { Moment } from "../ui/moment.tsx";
import { Report } from "../ui/report.tsx";
import { Section } from "../ui/section.tsx";
import { State } from "../ui/state.tsx";
import { Strip, stripLabel } from "../ui/strip.tsx";
import {
  type Check,
  DAYS,
  daysOf,
  deadDays,
  inRuns,
  lengthsOf,
  type Part,
  type Run,
  useChecks,
  type useRuns,
  useTimes,
} from "./queries.ts";

type HistoryProps = { part: Part; query: ReturnType<typeof useRuns>; link: LinkDetail };

const SHOWN = 12;

/** The runs of the link, newest first, which open to their checks. */
export const History = ({ part, query, link }: HistoryProps) => {
  const [most, setMost] = useState(SHOWN);
  return (
    <Loaded query={query}>
      {({ items: runs, total }) => {
        const isWhole = runs.length <= most && !query.hasNextPage;
        const more = () => {
          setMost(most + 4 * SHOWN);
          if (runs.length <= most + SHOWN) query.fetchNextPage();
        };
        return (
          <Section title="History" hint={totalsOf(runs, total)}>
            <ol class="runs">
              {runs.slice(0, most).map((run) => (
                <RunRow key={run.started_at ?? "first"} run={run} part={part} link={link} />
              ))}
              {isWhole && <Added at={link.created_at} />}
            </ol>
            {!isWhole && (
              <Button quiet busy={query.isFetchingNextPage} onClick={more}>
                Show more
              </Button>
            )}
          </Section>
        );
      }}
    </Loaded>
  );
};

/** "4 runs, 181 checks"; without the checks while some runs are not loaded. */
function totalsOf(runs: Run[], total: number): string {
  const checks = runs.reduce((sum, run) => sum + run.checks, 0);
  const text = counted(total, "run");
  return runs.length === total ? `${text}, ${counted(checks, "check")}` : text;
}

const Added = ({ at }: { at: string }) => (
  <li class="ev">
    <div class="run">
      <Plus class="i" aria-hidden="true" />
      <p class="soft">Added</p>
      <span class="rspan">
        <Moment at={at} clock />
      </span>
    </div>
  </li>
);

type RunRowProps = { run: Run; part: Part; link: LinkDetail };

function RunRow({ run, part, link }: RunRowProps) {
  const [isOpen, setOpen] = useState(false);
  const { status, started_at: from, ended_at: end } = run;
  return (
    <li class={`r-${status}`}>
      <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
        <summary class="run">
          <State status={status} hidden />
          <p class="clip">
            <b>{STATUS_WORDS[status]}</b> <span class="soft">{detailsOf(run)}</span>
          </p>
          <span class="rspan">
            {from ? <Moment at={from} clock /> : "earlier"} to{" "}
            {end ? <Moment at={end} clock /> : "now"}
          </span>
          <span class="rlen">
            {from && shortLength((end ? Date.parse(end) : Date.now()) - Date.parse(from))}
          </span>
          <span class="rchk">{counted(run.checks, "check")}</span>
          <ChevronRight class="i" aria-hidden="true" />
        </summary>
        {isOpen && <Checks run={run} part={part} link={link} />}
      </details>
    </li>
  );
}

/** "404", or "84 to 612 ms" */
function detailsOf({ status, reason, status_code: code, fastest_ms: fast, slowest_ms: slow }: Run) {
  const words = reason ? reasonWords(reason, code) : "";
  const times =
    fast === null || slow === null || status !== "active"
      ? ""
      : fast === slow
        ? milliseconds(fast)
        : `${many(fast)} to ${milliseconds(slow)}`;
  return [words, times].filter(Boolean).join(", ");
}

function Checks({ run, part, link }: RunRowProps) {
  const checks = useChecks(part, run);
  return (
    <Loaded query={checks}>
      {({ items }) => (
        <>
          <ul class="checks">
            {items.map((check) => (
              <CheckRow key={check.id} check={check} link={link} />
            ))}
          </ul>
          {checks.hasNextPage && (
            <Button quiet busy={checks.isFetchingNextPage} onClick={() => checks.fetchNextPage()}>
              Show more checks
            </Button>
          )}
        </>
      )}
    </Loaded>
  );
}

const OCCASIONS = { scheduled: "", manual: "Check now", initial: "First check", batch: "Batch" };

function CheckRow({ check, link }: { check: Check; link: LinkDetail }) {
  const { status, reason, message, status_code: code, response_time_ms: ms } = check;
  const [isOpen, setOpen] = useState(false);
  return (
    <li>
      <State status={status} />
      <Moment at={check.checked_at} clock />
      <span title={message}>{reasonWords(reason, code)}</span>
      <span class="soft">{OCCASIONS[check.trigger]}</span>
      <span class="soft ms">{ms === null ? "" : milliseconds(ms)}</span>
      {check.evidence && (
        <Button quiet aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          Evidence
        </Button>
      )}
      {isOpen && check.evidence && <Report seen={asSeen(check, check.evidence, link.url)} />}
    </li>
  );
}

const asSeen = (check: Check, evidence: Seen["evidence"], url: string): Seen => ({
  url,
  evidence,
  status: check.status,
  reason: check.reason,
  message: check.message,
  statusCode: check.status_code,
  checkedAt: check.checked_at,
});

type StatesProps = { query: ReturnType<typeof useRuns> };

/** The status of each day, carried forward between checks. */
export const States = ({ query }: StatesProps) => (
  <Loaded query={query}>
    {({ items: runs }) => {
      const now = Date.now();
      const days = inRuns(daysOf(runs, now));
      const lengths = lengthsOf(runs, now).map(
        ([status, ms]) => `${statusText(status)} ${daysAndHours(ms)}`,
      );
      return (
        <Section title={`${DAYS} days`} hint={lengths.join(", ")} action={<Legend />}>
          <Strip runs={days} days={DAYS} size="full" label={stripLabel(days)} />
        </Section>
      );
    }}
  </Loaded>
);

const Legend = () => (
  <span class="key inline" aria-hidden="true">
    <span>
      <i class="k-a" />
      Alive
    </span>
    <span>
      <i class="k-u" />
      Unknown
    </span>
    <span>
      <i class="k-d" />
      Dead
    </span>
  </span>
);

const HOUR_MS = 3_600_000;

/** "77 d 14 h" */
function daysAndHours(ms: number): string {
  const hours = Math.floor(ms / HOUR_MS);
  if (hours < 24) return shortLength(ms);
  return `${Math.floor(hours / 24)} d${hours % 24 ? ` ${hours % 24} h` : ""}`;
}

const NO_TIMES = "No response has been measured yet";

/** Average, fastest and slowest of each day, shaded where it was dead. */
export const ResponseTimes = ({ part, query }: StatesProps & { part: Part }) => (
  <Loaded query={useTimes(part)}>
    {({ points }) => {
      const dead = deadDays(query.data?.items ?? [], Date.now());
      const answered = points.filter(({ avgResponseTimeMs: ms }) => ms > 0);
      const slowest = Math.max(...answered.map(({ slowestMs }) => slowestMs ?? 0));
      const average = averageOf(answered);
      const summary = `Response time, ${points.length} days: average ${milliseconds(average)}, slowest ${milliseconds(slowest)}`;
      const hint = `average ${milliseconds(average)}; the band is fastest to slowest each day`;
      return (
        <Section title="Response time" hint={answered.length > 0 && hint}>
          <Band
            name="Response time"
            summary={answered.length > 0 ? summary : NO_TIMES}
            days={points.map(({ start }) => start.slice(0, 10))}
            average={points.map(({ avgResponseTimeMs: ms }) => ms || null)}
            fastest={points.map(({ fastestMs }) => fastestMs)}
            slowest={points.map(({ slowestMs }) => slowestMs)}
            dead={points.map(({ start }) => dead.has(start.slice(0, 10)))}
            skipped={points.map(({ totalChecks }) => totalChecks === 0)}
            format={(ms) => `${many(Math.round(ms))} ms`}
            empty={NO_TIMES}
          />
        </Section>
      );
    }}
  </Loaded>
);

/** Weighted by the checks of each day. */
function averageOf(points: { avgResponseTimeMs: number; totalChecks: number }[]): number {
  const checks = points.reduce((sum, { totalChecks }) => sum + totalChecks, 0);
  const total = points.reduce(
    (sum, { avgResponseTimeMs, totalChecks }) => sum + avgResponseTimeMs * totalChecks,
    0,
  );
  return checks === 0 ? 0 : total / checks;
}
