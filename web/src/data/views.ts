import { useQuery } from "@tanstack/preact-query";
import { api, asSent, complete, unwrap } from "./api.ts";
import { LINKS } from "./links.ts";

/** Views that everyone has, by the address of their list. */
export const OWN_VIEWS = [
  { name: "Needs attention", href: "/links?attention=true&sort=-status_changed_at" },
  { name: "Mine", href: "/links?assignee=me" },
  { name: "Muted", href: "/links?handling=muted" },
  { name: "Overridden", href: "/links?overridden=true" },
];

export const VIEWS = [...LINKS, "views"];

const views = () => unwrap(api.views.get());

export type View = Awaited<ReturnType<typeof views>>["items"][number];

/** The saved views of this person and of the account. */
export const useViewsQuery = () =>
  useQuery({ queryKey: VIEWS, queryFn: views, select: ({ items }): View[] => items });

/** The same, empty until they are loaded. */
export const useViews = (): View[] => useViewsQuery().data ?? [];

export const saveView = (view: {
  name: string;
  filter: Record<string, string>;
  sort?: string;
  is_shared: boolean;
}) => unwrap(api.views.post(asSent(view)));

/** Only what is given is changed. */
export const changeView = (id: string, change: { name?: string; is_shared?: boolean }) =>
  unwrap(api.views({ id }).patch(asSent(change)));

export const deleteView = (id: string) => complete(api.views({ id }).delete());
