import { useQueryClient } from "@tanstack/preact-query";
import { BellOff, ChevronRight, CircleCheck, RefreshCw } from "lucide-preact";
import { useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { hrefOf } from "../data/changes.ts";
import type { Overview } from "../data/counts.ts";
import { placeOf } from "../data/display-url.ts";
import { counted } from "../data/format.ts";
import { useCanWrite } from "../data/session.ts";
import { useKeys } from "../frame/keys.ts";
import { REPAIR_PLACE } from "../frame/places.ts";
import { useOffline, useToast } from "../frame/toast.tsx";
import { IconButton } from "../ui/button.tsx";
import { Moment } from "../ui/moment.tsx";
import { Section } from "../ui/section.tsx";
import { Proof } from "../ui/trace.tsx";
import { LinkList } from "../ui/url.tsx";
import { type Cause, type Causes, checkCause } from "./queries.ts";

type Props = { causes: Causes; count: number; onAll: () => void };

/** Dead links by site and reason, the largest cause first. */
export function NeedsAttention({ causes: { items, pagination }, count, onAll }: Props) {
  const [open, setOpen] = useState<string | null>(null);
  const check = useCheckCause();
  const decide = useDecide();
  const { off, unlessOff } = useOffline();
  const canWrite = useCanWrite();
  const { route } = useLocation();
  const rest = pagination.total - items.length;
  const fold = (cause: Cause) => setOpen(open === keyOf(cause) ? null : keyOf(cause));
  const atFocus = (act: (cause: Cause) => void) => () => {
    const cause = items[focusedRow()];
    if (cause) act(cause);
  };
  useKeys({
    j: () => focusRow(focusedRow() + 1),
    k: () => focusRow(Math.max(focusedRow(), 1) - 1),
    Space: atFocus(fold),
    Enter: atFocus((cause) => route(hrefOfCause(cause))),
    ...(canWrite && {
      r: unlessOff(atFocus(check)),
      e: unlessOff(atFocus((cause) => decide("acknowledgeCause", cause))),
      s: unlessOff(atFocus((cause) => decide("muteCause", cause))),
    }),
  });
  return (
    <Section
      title="Needs attention"
      hint={`${counted(count, "link")}, ${counted(pagination.total, "cause")}`}
      action={
        <a class="all" href={REPAIR_PLACE.href}>
          {REPAIR_PLACE.name}
        </a>
      }
    >
      <ul class="panel need-list">
        {items.map((cause) => (
          <CauseRow
            key={keyOf(cause)}
            cause={cause}
            isOpen={open === keyOf(cause)}
            onFold={() => fold(cause)}
            onCheck={canWrite ? () => check(cause) : undefined}
            onDecide={(what) => decide(what, cause)}
            off={off}
          />
        ))}
        {rest > 0 && (
          <li class="rest">
            <button type="button" onClick={onAll}>
              {counted(rest, "more cause")}
            </button>
          </li>
        )}
      </ul>
    </Section>
  );
}

/** Links by reason, for the day on which all sites are new, until one of them is handled. */
export function Reasons({ dead, unknown }: Pick<Overview, "dead" | "unknown">) {
  const counts = [
    ...dead.reasons.map((each) => ({ ...each, status: "dead" as const })),
    ...unknown.items.map((each) => ({ ...each, status: "unknown" as const })),
  ];
  const found = counts.flatMap(({ reason, ...rest }) => (reason ? [{ reason, ...rest }] : []));
  return (
    <Section title="What the checks found" hint={counted(found.length, "reason")}>
      <ul class="panel need-list">
        {found.map(({ status, reason, count }) => (
          <li key={reason} class="need">
            <a class="need-row by-reason" href={hrefOf("/links", { status, reason })}>
              <Proof reason={reason} status={status} />
              <span class="cnt">{counted(count, "link")}</span>
            </a>
          </li>
        ))}
      </ul>
    </Section>
  );
}

/** Links that are alive and lead to something else than before. */
export function OtherPages({
  pages: { lost, changed, missingFragments },
}: Pick<Overview, "pages">) {
  const counts = [
    { count: lost, says: "May have a new owner", filter: { identity: "lost" } },
    { count: changed, says: "Lead to another page or place", filter: { identity: "changed" } },
    { count: missingFragments, says: "Lack a section", filter: { fragment: "missing" } },
  ].filter(({ count }) => count > 0);
  if (counts.length === 0) return null;
  return (
    <Section title="Alive, but not what they were">
      <ul class="panel need-list">
        {counts.map(({ count, says, filter }) => (
          <li key={says} class="need">
            <a class="need-row by-reason" href={hrefOf("/links", filter)}>
              <span>{says}</span>
              <span class="cnt">{counted(count, "link")}</span>
            </a>
          </li>
        ))}
      </ul>
    </Section>
  );
}

type NoCausesProps = {
  changes: { kind: string; changed_at: string; site: string; host: string | null }[] | undefined;
  isDone: boolean;
};

/** Where no cause needs attention: the last one that did. */
export function NoCauses({ changes, isDone }: NoCausesProps) {
  const last = changes?.find(({ kind }) => kind === "died");
  return (
    <Section title="Needs attention">
      <p class="hint">
        {isDone ? "Nothing needs attention." : "No dead links so far."}
        {last && (
          <>
            {" "}
            Last one: <Moment at={last.changed_at} day />, {placeOf(last)}.
          </>
        )}
      </p>
    </Section>
  );
}

const hrefOfCause = ({ site, reason }: Cause) =>
  hrefOf("/links", { attention: "true", site, reason });

const keyOf = ({ site, reason }: Cause) => `${site} ${reason}`;

const rows = () => [...document.querySelectorAll<HTMLElement>(".need")];

/** The index of the cause that has the focus, or −1. */
const focusedRow = () => rows().findIndex((row) => row.contains(document.activeElement));

const focusRow = (index: number) => rows()[index]?.focus();

type Decide = "acknowledgeCause" | "muteCause";

/** Decides about all links of a cause. */
function useDecide() {
  const toast = useToast();
  const client = useQueryClient();
  return (what: Decide, cause: Cause) =>
    // Not part of the first view.
    void import("../triage/cause.ts")
      .then((decisions) => decisions[what](client, cause, toast))
      .catch(({ message }: Error) => toast(message));
}

function useCheckCause() {
  const toast = useToast();
  return (cause: Cause) => {
    const place = placeOf(cause);
    checkCause(cause).then(
      () => toast(`Checking ${counted(cause.count, "link")} on ${place}`),
      ({ message }: Error) => toast(message),
    );
  };
}

type RowProps = {
  cause: Cause;
  isOpen: boolean;
  onFold: () => void;
  onCheck: (() => void) | undefined;
  onDecide: (what: Decide) => void;
  off: string | undefined;
};

function CauseRow({ cause, isOpen, onFold, onCheck, onDecide, off }: RowProps) {
  const { reason, count, since } = cause;
  const place = placeOf(cause);
  const href = hrefOfCause(cause);
  return (
    <li class={isOpen ? "need open" : "need"} tabIndex={-1}>
      <div class="need-row">
        <button
          type="button"
          class="fold"
          aria-expanded={isOpen}
          aria-label={`${place}: ${isOpen ? "hide" : "show"} its links`}
          onClick={onFold}
        >
          <ChevronRight class="i" aria-hidden="true" />
        </button>
        <span class="mono-sq" aria-hidden="true">
          {initialOf(place)}
        </span>
        <a class="need-site" href={href}>
          <b>{place}</b>
          <span class="cnt">{counted(count, "link")}</span>
        </a>
        <Proof reason={reason} cause={cause.cause} status="dead" stage={cause.stage} />
        <span class="since">
          <Moment at={since} short />
        </span>
        {onCheck && (
          <span class="acts">
            <IconButton icon={RefreshCw} label="Check now" keys="R" off={off} onClick={onCheck} />
            <IconButton
              icon={CircleCheck}
              label="Acknowledge"
              keys="E"
              off={off}
              onClick={() => onDecide("acknowledgeCause")}
            />
            <IconButton
              icon={BellOff}
              label="Mute for a week"
              keys="S"
              off={off}
              onClick={() => onDecide("muteCause")}
            />
          </span>
        )}
      </div>
      {isOpen && <LinkList links={cause.links} count={count} href={href} />}
    </li>
  );
}

const initialOf = (place: string) =>
  place
    .replace(/^www\./, "")
    .charAt(0)
    .toUpperCase();
