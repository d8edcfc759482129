import { useMutation, useQueryClient } from "@tanstack/preact-query";
import { useEffect, useRef } from "preact/hooks";
import { useLocation } from "preact-iso";
import { LinkList, type Picking } from "../components/link-list.tsx";
import { ListTools } from "../components/list-tools.tsx";
import { Pager } from "../components/pager.tsx";
import { useSay } from "../components/said.tsx";
import { hrefOfFilter } from "../lib/filter.ts";
import { useGroups } from "../lib/groups.ts";
import { checkNow, LINKS, type Link, type LinkFilter, type LinkPage } from "../lib/links.ts";
import {
  isPicked,
  pickedAmong,
  type Selection,
  toggled,
  toggledPage,
  toggledTo,
} from "../lib/selection.ts";
import { useCanWrite } from "../lib/session.ts";

type ListedLinksProps = {
  filter: LinkFilter;
  page: LinkPage;
  /** Whether it is still the page before. */
  isOld: boolean;
  selection: Selection;
  select: (selection: Selection) => void;
  onDelete: (link: Link) => void;
};

/** One page of the list, and what is done to its rows. */
export function ListedLinks(props: ListedLinksProps) {
  const { filter, page, isOld, selection, select, onDelete } = props;
  const { route } = useLocation();
  const { data: groups = [] } = useGroups();
  const check = useCheckNow();
  const canWrite = useCanWrite();
  const shown = page.items.map(({ id }) => id);
  const picking: Picking = {
    isPicked: (id) => isPicked(selection, id),
    onPick: (id, isRange) => select((isRange ? toggledTo : toggled)(selection, shown, id)),
  };
  return (
    <div class="listed" ref={useTopOfPage(filter.page)}>
      <ListTools
        filter={filter}
        picked={canWrite ? pickedAmong(selection, shown) : null}
        onPickPage={() => select(toggledPage(selection, shown))}
        onSort={(sort) => route(hrefOfFilter({ ...filter, sort, page: 1 }))}
      />
      <LinkList
        links={page.items}
        groups={groups}
        isOld={isOld}
        picking={canWrite && !isOld ? picking : null}
        onCheck={check}
        onDelete={onDelete}
      />
      <Pager
        pagination={page.pagination}
        what="links"
        hrefOf={(number) => hrefOfFilter({ ...filter, page: number })}
      />
    </div>
  );
}

function useCheckNow() {
  const say = useSay();
  const client = useQueryClient();
  const { mutate } = useMutation({
    mutationFn: ({ id }: Link) => checkNow(id),
    onSuccess: ({ message }) => say(message),
    onError: ({ message }) => say(message),
    onSettled: () => client.invalidateQueries({ queryKey: LINKS }),
  });
  return mutate;
}

/** Another page begins at its top, wherever the way to it was pressed. */
function useTopOfPage(page: number) {
  const list = useRef<HTMLDivElement>(null);
  const seen = useRef(page);
  useEffect(() => {
    if (seen.current === page) return;
    seen.current = page;
    const isAbove = list.current && list.current.getBoundingClientRect().top < 0;
    if (isAbove) list.current?.scrollIntoView();
  }, [page]);
  return list;
}
