import { keepPreviousData, useQuery } from "@tanstack/preact-query";
import { useLocation } from "preact-iso";
import { Chart } from "../components/chart.tsx";
import { DayStrip } from "../components/day-strip.tsx";
import { Chips } from "../components/elements.tsx";
import { LinkEventList } from "../components/link-events.tsx";
import { HistoryFilters, HistoryTable } from "../components/link-history.tsx";
import { Pager } from "../components/lists.tsx";
import { Loaded } from "../components/states.tsx";
import {
  DAYS,
  findDays,
  findTimes,
  keyOfLastCheck,
  listChecks,
  listEvents,
  type Series,
} from "../lib/link.ts";
import { hrefOfView, isNarrowed, type LinkView, SPANS, USUAL_SPAN } from "../lib/link-view.ts";
import type { Frequency } from "../lib/links.ts";
import { SPAN_TEXTS } from "../lib/overview.ts";

/** A new `lastCheckAt` refetches the parts. */
type LinkPartProps = { id: string; lastCheckAt: string | null; view: LinkView };

/** Id of the section. */
export const HISTORY = "history";

export function LinkHistory({ id, lastCheckAt, view }: LinkPartProps) {
  const { route } = useLocation();
  const { status, changed, from, to, page } = view;
  const checks = useQuery({
    queryKey: keyOfLastCheck(id, lastCheckAt, "checks", { status, changed, from, to, page }),
    queryFn: () => listChecks(id, view),
    placeholderData: keepPreviousData,
  });
  return (
    <section id={HISTORY}>
      <h2>History</h2>
      <HistoryFilters
        view={view}
        hrefOf={(next) => hrefOfView(id, next)}
        onChange={(next) => route(hrefOfView(id, next), true)}
      />
      <Loaded query={checks}>
        {({ items, pagination }) =>
          pagination.total === 0 ? (
            <Nothing view={view} all={hrefOfView(id, { ...view, ...EVERYTHING })} />
          ) : (
            <>
              <HistoryTable checks={items} />
              <Pager
                pagination={pagination}
                what="checks"
                hrefOf={(next) => hrefOfView(id, { ...view, page: next })}
              />
            </>
          )
        }
      </Loaded>
    </section>
  );
}

const EVERYTHING = { status: undefined, changed: false, from: "", to: "", page: 1 };

const Nothing = ({ view, all }: { view: LinkView; all: string }) =>
  isNarrowed(view) ? (
    <p class="hint">
      No check matches. <a href={all}>Show all checks</a>
    </p>
  ) : (
    <p class="hint">No checks yet. Every check will be listed here.</p>
  );

export function LinkDays({ id, lastCheckAt, view }: LinkPartProps) {
  const days = useQuery({
    queryKey: keyOfLastCheck(id, lastCheckAt, "days"),
    queryFn: () => findDays(id),
    placeholderData: keepPreviousData,
  });
  return (
    <section class="link-days">
      <h2>The last {DAYS} days</h2>
      <Loaded query={days}>
        {({ points }) => (
          <DayStrip
            days={points}
            hrefOf={(date) => hrefOfView(id, { ...view, from: date, to: date, page: 1 })}
            onOpen={() => document.getElementById(HISTORY)?.scrollIntoView()}
          />
        )}
      </Loaded>
    </section>
  );
}

type LinkTimesProps = LinkPartProps & { frequency: Frequency };

export function LinkTimes({ id, lastCheckAt, view, frequency }: LinkTimesProps) {
  const chosen = view.span ?? USUAL_SPAN[frequency];
  const times = useQuery({
    queryKey: keyOfLastCheck(id, lastCheckAt, "times", chosen, frequency),
    queryFn: () => findTimes(id, chosen, frequency),
    select: dataOf,
    placeholderData: keepPreviousData,
  });
  return (
    <section class="link-times">
      <header>
        <h2>Time to answer</h2>
        <Chips
          label="Time shown"
          chips={SPANS.map((span) => ({
            name: SPAN_TEXTS[span],
            href: hrefOfView(id, { ...view, span }),
            isOn: chosen === span,
          }))}
        />
      </header>
      <Loaded query={times}>{(data) => <Chart label="Average time to answer" {...data} />}</Loaded>
    </section>
  );
}

/** An average of 0 means that there was no response. */
const dataOf = ({ bucket, points }: Series) => ({
  kind: "line" as const,
  unit: "ms" as const,
  bucket,
  times: points.map(({ start }) => Date.parse(start)),
  series: [
    {
      name: "Average",
      tone: "accent" as const,
      values: points.map(({ avgResponseTimeMs: ms }) => ms || null),
    },
  ],
});

export function LinkEvents({ id, lastCheckAt, view }: LinkPartProps) {
  const { eventsPage: page } = view;
  const events = useQuery({
    // The "webhooks" topic reports deliveries that continue after a check.
    queryKey: ["webhooks", "of-link", id, lastCheckAt, page],
    queryFn: () => listEvents(id, page),
    placeholderData: keepPreviousData,
  });
  return (
    <section>
      <h2>Sent to webhooks</h2>
      <Loaded query={events}>
        {({ items, pagination }) =>
          pagination.total === 0 ? (
            <p class="hint">
              Nothing yet. Events of a link are recorded while a <a href="/webhooks">webhook</a>{" "}
              subscribes to them, and kept for 30 days.
            </p>
          ) : (
            <>
              <LinkEventList events={items} />
              <Pager
                pagination={pagination}
                what="events"
                hrefOf={(next) => hrefOfView(id, { ...view, eventsPage: next })}
              />
            </>
          )
        }
      </Loaded>
    </section>
  );
}
