import { useQueryClient } from "@tanstack/preact-query";
import type { ComponentChildren } from "preact";
import { targetName } from "../data/alerts.ts";
import { GROUPS, useGroups } from "../data/groups.ts";
import {
  changeLink,
  FREQUENCIES,
  LINKS,
  type LinkDetail,
  linkOptions,
  NO_GROUP,
  useServiceName,
} from "../data/links.ts";
import { useOff } from "../data/live.ts";
import { useCanWrite } from "../data/session.ts";
import { DELIVERY_WORDS, EVENT_WORDS, FREQUENCY_WORDS } from "../data/words.ts";
import { useToast } from "../frame/toast.tsx";
import { Button } from "../ui/button.tsx";
import { Loaded } from "../ui/loaded.tsx";
import { Pick } from "../ui/menu.tsx";
import { Moment } from "../ui/moment.tsx";
import { Section } from "../ui/section.tsx";
import { type LinkEvent, type Part, useEvents } from "./queries.ts";

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
        {link.service !== "generic" && <Fact name="Service">{service}</Fact>}
        <Fact name="Added">
          <Moment at={link.created_at} day />
        </Fact>
      </dl>
    </Section>
  );
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
  const { data: groups = [] } = useGroups();
  const change = useChange(link);
  const own = groups.find(({ id }) => id === link.group_id);
  const name = own?.name ?? (link.group_id ? "…" : "None");
  const nameOf = (id: string | null) => groups.find((group) => group.id === id)?.name;
  const move = (value: string) => {
    const id = value === NO_GROUP ? null : value;
    if (id === link.group_id) return;
    const said = id ? `Moved to “${nameOf(id)}”` : "Removed from its group";
    change({ group_id: id }, { group_id: link.group_id }, said);
  };
  return (
    <>
      {own && <Square color={own.color} />}
      {useCanWrite() ? (
        <Pick
          plain
          class={`word ${GROUP_BUTTON}`}
          label="Group"
          off={useOff()}
          button={name}
          value={link.group_id ?? NO_GROUP}
          options={[
            ...groups.map(({ id, name: label, color }) => ({
              ...{ value: id, label },
              mark: <Square color={color} />,
            })),
            { value: NO_GROUP, label: "No group" },
          ]}
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

type Change = Parameters<typeof changeLink>[1];

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
      <b>{EVENT_WORDS[event]}</b> <Moment at={at} clock />
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
