import { useQueryClient } from "@tanstack/preact-query";
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { FREQUENCIES } from "../../../server/ground/lib/vocabulary.ts";
import { Bar } from "../chart/bars.tsx";
import { deliveredWords, targetName } from "../data/alerts.ts";
import { hrefOfFilter, readFilter } from "../data/filter.ts";
import { counted, many } from "../data/format.ts";
import { GROUPS, type Group as GroupOfAccount, useGroupsOf } from "../data/groups.ts";
import {
  changeLink,
  LINKS,
  type LinkDetail,
  type LinkEdit,
  linkOptions,
  TEXTS,
  useServiceName,
} from "../data/links.ts";
import { useOff } from "../data/live.ts";
import { useCanWrite } from "../data/session.ts";
import type { TriageChange } from "../data/triage.ts";
import { DELIVERY_WORDS, FREQUENCY_WORDS } from "../data/words.ts";
import { useToast } from "../frame/toast.tsx";
import { AssignPick, TagPick } from "../triage/picks.tsx";
import { useTriage } from "../triage/use-triage.ts";
import { anchorText, MissingAnchor } from "../ui/anchors.tsx";
import { Button } from "../ui/button.tsx";
import { FoundOn } from "../ui/found-on.tsx";
import { GroupPick } from "../ui/group-pick.tsx";
import { Loaded } from "../ui/loaded.tsx";
import { Pick } from "../ui/menu.tsx";
import { Moment } from "../ui/moment.tsx";
import { Section } from "../ui/section.tsx";
import { InPlaceText } from "./in-place.tsx";
import { type LinkEvent, type Part, useEvents, useSite } from "./queries.ts";

/** What belongs to the link, to be changed where it stands. */
export function About({ link }: { link: LinkDetail }) {
  const service = useServiceName(link.service);
  return (
    <Section title="About" class="about">
      <dl class="facts">
        <Fact name="Group">
          <Group link={link} />
        </Fact>
        <Fact name="Checked">
          <Frequency link={link} />
        </Fact>
        {link.check_schedule && (
          <Fact name="Schedule">
            <code>{link.check_schedule.cron}</code> {link.check_schedule.time_zone}
            <Turns turns={link.next_turns} />
          </Fact>
        )}
        <Decisions link={link} />
        {TEXTS.map(
          ({ name, label }) =>
            link[name] && (
              <Fact key={name} name={label}>
                {link[name]}
              </Fact>
            ),
        )}
        <Note key={link.id} link={link} />
        {Object.entries(link.metadata).map(([key, value]) => (
          <Fact key={key} name={key}>
            {value}
          </Fact>
        ))}
        {link.expect && <Fact name="Expects">{expectText(link.expect)}</Fact>}
        {link.fragments.length > 0 && (
          <Fact name="Anchors">
            {link.fragments.map((each) => (
              <Anchor key={each.fragment} {...each} />
            ))}
          </Fact>
        )}
        {link.previous_urls.length > 0 && (
          <Fact name="Before">
            {link.previous_urls.slice(0, MOST_URLS).map(({ url, until }) => (
              <span key={until} class="url-before">
                {url} <Moment at={until} day />
              </span>
            ))}
          </Fact>
        )}
        {link.service !== "generic" && <Fact name="Service">{service}</Fact>}
        <Fact name="Added">
          <Moment at={link.created_at} day />
        </Fact>
      </dl>
    </Section>
  );
}

/** What should be in the page, and whether it is. One that no check has found may be made by a script. */
const Anchor = ({
  fragment,
  state,
  missing_since: since,
  alike,
}: LinkDetail["fragments"][number]) => (
  <span class="link-anchor">
    <code>{anchorText(fragment)}</code>{" "}
    {since ? (
      <MissingAnchor
        alike={alike}
        since={
          <>
            {" since "}
            <Moment at={since} day />{" "}
          </>
        }
      />
    ) : (
      <span class="soft">{ANCHOR_WORDS[state]}</span>
    )}
  </span>
);

const ANCHOR_WORDS = { found: "found", missing: "not found", unknown: "not known" };

/** The pages that the link stands on, as its sources found them. */
export function Places({ link }: { link: LinkDetail }) {
  const { id, pinned, sources, places, retired_at: retiredAt } = link;
  const canWrite = useCanWrite();
  const change = useChange(link);
  if (sources === 0 && !retiredAt) return null;
  const keep = () => change({ pinned: true }, { pinned: false }, "The link is kept");
  return (
    <Section title="Found on" hint={places > 0 && counted(places, "place")}>
      {places > 0 && <FoundOn link={id} few={5} />}
      {retiredAt ? (
        <p class="hint">
          No source has this link since <Moment at={retiredAt} day />, so it is not checked.
        </p>
      ) : (
        !pinned && (
          <p class="hint">
            The link is removed when it is on none of these pages.{" "}
            {canWrite && (
              <button type="button" class="word" onClick={() => void keep()}>
                Keep it
              </button>
            )}
          </p>
        )
      )}
    </Section>
  );
}

/** Whether it is this page alone: the links of its site, and how many of them are dead. */
export function RestOfSite({ link: { site } }: { link: LinkDetail }) {
  const found = useSite(site);
  if (!found || found.links < 2) return null;
  const { links, dead } = found;
  const href = (status: string) => hrefOfFilter(readFilter({ site, status }));
  return (
    <Section title="Rest of the site" hint={site}>
      <ul class="bars">
        <Bar href={href("dead")} share={dead / links} tone="dead">
          <span>Dead</span>
          <b>{many(dead)}</b>
        </Bar>
        <Bar href={href("")} share={0} tone="dead">
          <span>All links</span>
          <b>{many(links)}</b>
        </Bar>
      </ul>
    </Section>
  );
}

/** Tags and the assignee, changed where they are shown. */
function Decisions({ link }: { link: LinkDetail }) {
  const canWrite = useCanWrite();
  const decide = useTriage(link);
  const picks = {
    links: [link],
    off: useOff(),
    onChange: (change: TriageChange) => void decide(change),
  };
  return (
    <>
      {(canWrite || link.tags.length > 0) && (
        <Fact name="Tags">
          <span class="chips">
            {link.tags.map((tag) => (
              <a key={tag} class="chip" href={`/links?tag=${encodeURIComponent(tag)}`}>
                {tag}
              </a>
            ))}
            {canWrite && <TagPick {...picks} word={link.tags.length > 0 ? "Edit" : "Add"} />}
          </span>
        </Fact>
      )}
      {(canWrite || link.assignee) && (
        <Fact name="Assigned">
          {canWrite ? (
            <AssignPick {...picks} word={link.assignee?.email ?? "No one"} />
          ) : (
            link.assignee?.email
          )}
        </Fact>
      )}
    </>
  );
}

const MOST_URLS = 3;

/** "next Mon 06:00, …" */
const Turns = ({ turns }: { turns: string[] }) =>
  turns.length > 0 ? (
    <span class="soft">
      {" "}
      next{" "}
      {turns.map((turn, n) => (
        <>
          {n > 0 && ", "}
          <Moment at={turn} clock />
        </>
      ))}
    </span>
  ) : null;

function expectText(expect: NonNullable<LinkDetail["expect"]>): string {
  const quoted = (texts: string[] = []) => texts.map((text) => `“${text}”`).join(", ");
  return [
    expect.must_contain && `contains ${quoted(expect.must_contain)}`,
    expect.must_not_contain && `does not contain ${quoted(expect.must_not_contain)}`,
    expect.final_url_contains && `leads to “${expect.final_url_contains}”`,
    expect.accepted_status_codes && `status ${expect.accepted_status_codes.join(", ")}`,
  ]
    .filter(Boolean)
    .join("; ");
}

const Fact = ({ name, children }: { name: string; children: ComponentChildren }) => (
  <>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </>
);

const GROUP_BUTTON = "pick-group";

/** Opens the choice of the link's group. */
export const openGroups = () => document.querySelector<HTMLElement>(`.${GROUP_BUTTON}`)?.click();

function Group({ link }: { link: LinkDetail }) {
  const { byId } = useGroupsOf(link.group_id ? [link.group_id] : []);
  const change = useChange(link);
  const own = byId.get(link.group_id ?? "");
  const name = own?.name ?? (link.group_id ? "…" : "None");
  const move = (group: GroupOfAccount | null) => {
    const id = group?.id ?? null;
    if (id === link.group_id) return;
    const said = group ? `Moved to “${group.name}”` : "Removed from its group";
    change({ group_id: id }, { group_id: link.group_id }, said);
  };
  return (
    <>
      {own && <Square color={own.color} />}
      {useCanWrite() ? (
        <GroupPick
          plain
          class={`word ${GROUP_BUTTON}`}
          label="Group"
          off={useOff()}
          button={name}
          value={link.group_id}
          none="No group"
          onPick={move}
        />
      ) : (
        name
      )}
    </>
  );
}

const Square = ({ color }: { color: string }) => <i class="gsq" style={{ background: color }} />;

function Frequency({ link }: { link: LinkDetail }) {
  const change = useChange(link);
  const { check_frequency: now } = link;
  if (!useCanWrite()) return FREQUENCY_WORDS[now];
  return (
    <Pick
      plain
      label="Check frequency"
      off={useOff()}
      button={FREQUENCY_WORDS[now]}
      value={now}
      options={FREQUENCIES.map((value) => ({ value, label: FREQUENCY_WORDS[value] }))}
      onPick={(chosen) =>
        chosen !== now &&
        change(
          { check_frequency: chosen },
          { check_frequency: now },
          `Checked ${FREQUENCY_WORDS[chosen].toLowerCase()}`,
        )
      }
    />
  );
}

const MOST_SHOWN = 280;

/** What people noted about the link, changed where it is shown. A long note is folded. */
function Note({ link }: { link: LinkDetail }) {
  const change = useChange(link);
  const [isOpen, setOpen] = useState(false);
  if (!useCanWrite() && !link.note) return null;
  const note = link.note ?? "";
  const isLong = note.length > MOST_SHOWN;
  const shown = isLong && !isOpen ? `${note.slice(0, MOST_SHOWN).trimEnd()}…` : note;
  return (
    <Fact name="Note">
      <InPlaceText
        label="Note"
        value={link.note}
        isLong
        maxLength={2000}
        none="Add"
        save={(note) => change({ note }, { note: link.note }, "The note was changed")}
      >
        {note && <span class="link-note">{shown}</span>}
      </InPlaceText>
      {isLong && (
        <button type="button" class="text-button" onClick={() => setOpen(!isOpen)}>
          {isOpen ? "Show less" : "Show all"}
        </button>
      )}
    </Fact>
  );
}

/**
 * The title that people gave the link, changed where it is shown.
 * @param found that of the page, without one
 */
export function Title({ link, found }: { link: LinkDetail; found: string | null }) {
  const change = useChange(link);
  const shown = link.title ?? found;
  if (!useCanWrite() && !shown) return null;
  return (
    <p class="title soft">
      <InPlaceText
        label="Title"
        value={link.title}
        placeholder={found ?? ""}
        maxLength={200}
        none="Add a title"
        save={(title) => change({ title }, { title: link.title }, "The title was changed")}
      >
        {shown}
      </InPlaceText>
    </p>
  );
}

type Change = Pick<LinkEdit, "group_id" | "check_frequency" | "pinned" | "title" | "note">;

/** Changes the link at once, says so, and takes it back by the opposite change. */
function useChange({ id }: LinkDetail) {
  const toast = useToast();
  const client = useQueryClient();
  const apply = async (change: Change) => {
    const { queryKey } = linkOptions(id);
    client.setQueryData(queryKey, (known) => known && { ...known, ...change });
    await changeLink(id, change).finally(() => {
      client.invalidateQueries({ queryKey: LINKS });
      client.invalidateQueries({ queryKey: GROUPS });
      client.invalidateQueries({ queryKey: ["of-link", id] });
    });
  };
  return (change: Change, before: Change, said: string) =>
    apply(change).then(
      () => toast(said, () => apply(before)),
      ({ message }: Error) => toast(message),
    );
}

/** The messages about the link, which lead to what was sent. */
export const AlertsSent = ({ part }: { part: Part }) => {
  const query = useEvents(part);
  return (
    <Section title="Alerts sent" class="alerts-sent">
      <Loaded query={query}>
        {({ items: events }) =>
          events.length === 0 ? (
            <NoAlerts />
          ) : (
            <ul>
              {events.map((event) => (
                <EventRow key={event.id} event={event} />
              ))}
            </ul>
          )
        }
      </Loaded>
      {query.hasNextPage && (
        <Button quiet busy={query.isFetchingNextPage} onClick={() => query.fetchNextPage()}>
          Show more
        </Button>
      )}
    </Section>
  );
};

const NoAlerts = () => (
  <p class="hint">
    None yet. Messages are listed for 30 days. <a href="/alerts">Alerts</a>
  </p>
);

const EventRow = ({ event: { id, event, created_at: at, deliveries } }: { event: LinkEvent }) => (
  <li>
    <p>
      <b>{deliveredWords(event).word}</b> <Moment at={at} clock />
    </p>
    {deliveries.length === 0 && <p class="hint">The alert was deleted.</p>}
    {deliveries.map((delivery) => (
      <p key={delivery.webhook_id}>
        <a href={`/alerts/${delivery.webhook_id}/messages/${id}`}>{targetName(delivery)}</a>{" "}
        <span class="soft">{DELIVERY_WORDS[delivery.status]}</span>
      </p>
    ))}
  </li>
);
