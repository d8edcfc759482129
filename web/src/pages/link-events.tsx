import { keepPreviousData, useQuery } from "@tanstack/preact-query";
import { LinkEventList } from "../components/link-events.tsx";
import { Pager } from "../components/pager.tsx";
import { Loaded } from "../components/states.tsx";
import { listEvents } from "../lib/link.ts";
import { hrefOfView } from "../lib/link-view.ts";
import type { LinkPartProps } from "./link-history.tsx";

export function LinkEvents({ id, lastCheckAt, view }: LinkPartProps) {
  const { eventsPage: page } = view;
  const events = useQuery({
    // Deliveries go on after a check, and are told of by those of webhooks.
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
              Nothing yet. What happens to a link is written down while a{" "}
              <a href="/webhooks">webhook</a> subscribes to it, and kept for 30 days.
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
