import { type LucideIcon, Rss, ShieldAlert, TriangleAlert } from "lucide-preact";
import type { ComponentChildren } from "preact";
import { type ChangeEntry, changedTo, changeTitle, hrefOf, hrefOfChange } from "../data/changes.ts";
import type { Overview } from "../data/counts.ts";
import { placeOf, shownHost } from "../data/display-url.ts";
import { counted, lengthText, many } from "../data/format.ts";
import { reasonWords } from "../data/words.ts";
import { LastVisit, Moment } from "../ui/moment.tsx";
import { Section } from "../ui/section.tsx";
import { State } from "../ui/state.tsx";
import type { Backups, Upcoming } from "./queries.ts";

type LatestProps = { entries: ChangeEntry[]; lastVisit: string | null };

/** The last changes, with a line at the last visit: before the first entry that was there. */
export function Latest({ entries, lastVisit }: LatestProps) {
  const known = entries.find(({ changed_at: at }) => lastVisit !== null && at <= lastVisit);
  const all = (
    <a class="all" href="/changes">
      All
    </a>
  );
  return (
    <Section title="Changes" action={all}>
      {entries.length === 0 ? (
        <p class="hint">No changes yet.</p>
      ) : (
        <ul class="feed">
          {entries.map((entry) => (
            <>
              {entry === known && lastVisit && (
                <li class="seen">
                  <LastVisit at={lastVisit} />
                </li>
              )}
              <Entry key={entry.id} entry={entry} />
            </>
          ))}
        </ul>
      )}
    </Section>
  );
}

const Entry = ({ entry }: { entry: ChangeEntry }) => (
  <li>
    <State status={changedTo(entry)} hidden />
    <div>
      <p>
        {changeTitle(entry)}{" "}
        {["dead", "unknown"].includes(changedTo(entry)) && (
          <span class="soft">{reasonWords(entry.reason, null, entry.cause)}</span>
        )}
      </p>
      <a class="soft" href={hrefOfChange(entry)}>
        {placeOf(entry)}
      </a>
    </div>
    <Moment at={entry.changed_at} short />
  </li>
);

const MOST_NAMED = 3;
const MOST_LINES = 5;

/** Failing sources, and certificates that expire soon; nothing where there are none. What is equal is one entry. */
export function ComingUp({
  upcoming: { items, failing_sources: failing },
}: {
  upcoming: Upcoming;
}) {
  if (items.length + failing.total === 0) return null;
  const expiring = Map.groupBy(items, ({ expiresAt }) =>
    lengthText(Date.parse(expiresAt) - Date.now()),
  );
  return (
    <Section title="Coming up">
      <ul class="feed">
        {failing.total > 0 && (
          <Expected
            icon={Rss}
            text={
              failing.total === 1 ? "Source is failing" : `${failing.total} sources are failing`
            }
            at={failing.items[0]?.since}
            named={failing.items.map(({ id, name }) => ({ href: `/sources/${id}`, name }))}
            total={failing.total}
            href="/sources?status=failing"
          />
        )}
        {[...expiring].slice(0, MOST_LINES).map(([left, certificates]) => (
          <Expected
            key={left}
            icon={ShieldAlert}
            text={
              certificates.length === 1
                ? `Certificate expires in ${left}`
                : `${certificates.length} certificates expire in ${left}`
            }
            named={certificates.map(({ site, host }) => ({
              href: hrefOf("/links", { site }),
              name: shownHost(host),
            }))}
            total={certificates.length}
            href="/sites"
          />
        ))}
      </ul>
    </Section>
  );
}

type ExpectedProps = {
  icon: LucideIcon;
  text: string;
  at?: string | undefined;
  named: { href: string; name: string }[];
  total: number;
  /** Where those are that are not named. */
  href: string;
};

const Expected = ({ icon: Icon, text, at, named, total, href }: ExpectedProps) => (
  <li>
    <Icon class="i warnc" aria-hidden="true" />
    <div>
      <p>{text}</p>
      {named.slice(0, MOST_NAMED).map((each) => (
        <a key={each.href} class="soft" href={each.href}>
          {each.name}
        </a>
      ))}
      {total > MOST_NAMED && (
        <a class="soft" href={href}>
          {many(total - MOST_NAMED)} more
        </a>
      )}
    </div>
    {at && <Moment at={at} short />}
  </li>
);

/** Starting a check and finishing the previous one take some time. */
const ON_TIME_S = 120;

/** What is wrong with the checks; null if nothing is. */
function checkTrouble({ isChecking, state, clock, lateSeconds }: Overview["checker"]) {
  if (!isChecking) return "Checks are not running";
  if (state === "offline") return "Checks are paused while the server is offline";
  if (clock === "off") return "Clock is wrong: correct the system time";
  if (lateSeconds >= ON_TIME_S) return `Checks are ${lengthText(lateSeconds * 1000)} late`;
  return state === "degraded" ? "The server's connection is poor" : null;
}

type Props = { overview: Overview; backups: Backups | undefined };

/** One quiet line on how Stillup itself is doing, or warnings. */
export function Footing({ overview: { checker, webhooks, hostSettings }, backups }: Props) {
  const trouble = checkTrouble(checker);
  return (
    <div class="quiet footing">
      {trouble ? <Warning>{trouble}</Warning> : <OnSchedule checker={checker} />}
      <AlertTrouble webhooks={webhooks} />
      <HostTrouble hosts={hostSettings} />
      {backups && <LastBackup backups={backups} />}
      <a href="/settings">Settings</a>
    </div>
  );
}

const Warning = ({ children }: { children: ComponentChildren }) => (
  <span class="warnc" role="status">
    <TriangleAlert class="i" aria-hidden="true" />
    <span>{children}</span>
  </span>
);

const OnSchedule = ({ checker: { nextCheckAt } }: Pick<Overview, "checker">) => (
  <>
    <span>
      <State status="active" hidden />
      Checks on schedule
    </span>
    {nextCheckAt && <span>Next check {nextText(nextCheckAt)}</span>}
  </>
);

function nextText(at: string): string {
  const left = Date.parse(at) - Date.now();
  return left < 1000 ? "now" : `in ${lengthText(left)}`;
}

/** Alerts that the server turned off send nothing any more. */
function AlertTrouble({ webhooks: { disabled, failing } }: Pick<Overview, "webhooks">) {
  const [first] = disabled.items;
  if (first) {
    return (
      <Warning>
        The <a href={`/alerts/${first.id}`}>alert {first.name ?? `to ${first.host}`}</a> was turned
        off
        {first.since && " "}
        {first.since && <Moment at={first.since} />}
        {disabled.total > 1 && `, and ${many(disabled.total - 1)} more`}
      </Warning>
    );
  }
  if (failing === 0) return null;
  return (
    <Warning>
      <a href="/alerts">
        {many(failing)} {failing === 1 ? "alert is" : "alerts are"} failing
      </a>
    </Warning>
  );
}

/** Links of hosts that refuse what is set for them stay unknown. */
function HostTrouble({ hosts: { total, items } }: { hosts: Overview["hostSettings"] }) {
  const [first] = items;
  if (!first) return null;
  return (
    <Warning>
      <a href="/settings/hosts">{first.host}</a> has refused what is set for it since{" "}
      <Moment at={first.since} />
      {total > 1 && `, and ${counted(total - 1, "other host")} as well`}
    </Warning>
  );
}

function LastBackup({ backups: { problem, last_success_at: at } }: { backups: Backups }) {
  if (problem) {
    return (
      <Warning>
        {problem} <a href="/settings/backups">Backups</a>
      </Warning>
    );
  }
  return at ? (
    <span>
      Last backup <Moment at={at} clock />
    </span>
  ) : null;
}
