import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/preact-query";
import { useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { LinkFilters } from "../components/link-filters.tsx";
import { LinkList } from "../components/link-list.tsx";
import { ListHead } from "../components/list-head.tsx";
import { Pager } from "../components/pager.tsx";
import { useSay } from "../components/said.tsx";
import { Empty, Loaded } from "../components/states.tsx";
import { hrefOfFilter, readFilter } from "../lib/filter.ts";
import {
  checkNow,
  LINKS,
  type Link,
  type LinkFilter,
  listLinks,
  refreshAfter,
} from "../lib/links.ts";
import { useCanWrite } from "../lib/session.ts";
import { useTitle } from "../lib/title.ts";
import { AddLinks } from "./add-links.tsx";
import { DeleteLink } from "./delete-link.tsx";

type Task = { kind: "add" } | { kind: "delete"; link: Link };

export function LinksPage() {
  useTitle("Links");
  const { query, route } = useLocation();
  const filter = readFilter(query);
  const links = useLinks(filter);
  const [task, setTask] = useState<Task | null>(null);
  const close = () => setTask(null);
  return (
    <>
      <ListHead title="Links" adding="Add links" onAdd={() => setTask({ kind: "add" })} />
      <LinkFilters filter={filter} onChange={(next) => route(hrefOfFilter(next), true)} />
      <Loaded query={links}>
        {({ items, pagination }) => (
          <>
            {items.length > 0 ? (
              <Listed items={items} onDelete={(link) => setTask({ kind: "delete", link })} />
            ) : (
              <Nothing filter={filter} onAdd={() => setTask({ kind: "add" })} />
            )}
            {pagination.total > 0 && (
              <Pager
                pagination={pagination}
                what="links"
                hrefOf={(page) => hrefOfFilter({ ...filter, page })}
              />
            )}
          </>
        )}
      </Loaded>
      {task?.kind === "add" && <AddLinks onClose={close} />}
      {task?.kind === "delete" && <DeleteLink link={task.link} onClose={close} onDeleted={close} />}
    </>
  );
}

const useLinks = (filter: LinkFilter) =>
  useQuery({
    queryKey: [...LINKS, "list", filter],
    queryFn: () => listLinks(filter),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => refreshAfter(state.data?.items),
  });

function Listed({ items, onDelete }: { items: Link[]; onDelete: (link: Link) => void }) {
  const say = useSay();
  const client = useQueryClient();
  const check = useMutation({
    mutationFn: ({ id }: Link) => checkNow(id),
    onSuccess: ({ message }) => say(message),
    onError: ({ message }) => say(message),
    onSettled: () => client.invalidateQueries({ queryKey: LINKS }),
  });
  return (
    <LinkList links={items} canWrite={useCanWrite()} onCheck={check.mutate} onDelete={onDelete} />
  );
}

function Nothing({ filter, onAdd }: { filter: LinkFilter; onAdd: () => void }) {
  const canWrite = useCanWrite();
  if (filter.status || filter.service || filter.search || filter.page > 1) {
    return (
      <Empty title="No link matches">
        <p>
          <a class="button" href="/links">
            Show all links
          </a>
        </p>
      </Empty>
    );
  }
  return (
    <Empty title="No links yet">
      <p>Add the URLs you care about. Each is checked at once, and then as often as you say.</p>
      {canWrite && (
        <button type="button" onClick={onAdd}>
          Add your first links
        </button>
      )}
    </Empty>
  );
}
