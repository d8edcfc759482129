import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/preact-query";
import {
  Copy,
  ExternalLink,
  Eye,
  FolderInput,
  Link2,
  Pencil,
  RefreshCw,
  Tags,
  Trash2,
  UserRound,
} from "lucide-preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { useLocation, useRoute } from "preact-iso";
import { copyText, followable } from "../data/browser.ts";
import { displayUrl } from "../data/display-url.ts";
import { settledStatus } from "../data/evidence.ts";
import { hrefOfFilter, idIn } from "../data/filter.ts";
import { useGroupNames } from "../data/groups.ts";
import { useHeld } from "../data/held.ts";
import {
  checkNow,
  deleteLink,
  LINKS,
  type LinkDetail,
  linkOptions,
  refreshAfter,
} from "../data/links.ts";
import { lastPlace, useListPlace } from "../data/list-place.ts";
import { useCanWrite } from "../data/session.ts";
import { acknowledgement } from "../data/triage.ts";
import { STATUS_WORDS } from "../data/words.ts";
import { useBar } from "../frame/bar.tsx";
import { useCommands, useKeys } from "../frame/keys.ts";
import { useHold, useOffline, useToast } from "../frame/toast.tsx";
import { ReplaceWith } from "../replace/replace-with.tsx";
import { HandlePicks } from "../triage/picks.tsx";
import { endOverride } from "../triage/requests.ts";
import { OverrideSheet, UrlSheet } from "../triage/sheets.tsx";
import { useTriage } from "../triage/use-triage.ts";
import { Button, IconButton } from "../ui/button.tsx";
import { Empty, Loaded, Together } from "../ui/loaded.tsx";
import { Menu } from "../ui/menu.tsx";
import { Moment } from "../ui/moment.tsx";
import { State } from "../ui/state.tsx";
import { Url } from "../ui/url.tsx";
import { About, AlertsSent, openGroups, Places, RestOfSite, Title } from "./about.tsx";
import EditSheet from "./edit.tsx";
import { History, ResponseTimes, States } from "./history.tsx";
import { useRaw, useRuns } from "./queries.ts";
import { ThenAndNow } from "./then-and-now.tsx";
import { Timeline } from "./timeline.tsx";
import { headlineOf, sentencesOf } from "./verdict.ts";
import { VerdictCard } from "./verdict-card.tsx";
import "./link.css";

/** Is it dead, how do you know, and what now. */
export default function LinkPage() {
  const { id = "" } = useRoute().params;
  const isHeld = useHeld().has(id);
  const link = useQuery({
    ...linkOptions(id),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => refreshAfter(state.data && [state.data]),
  });
  // While another link loads, the last one stays, but never for a link that is not there.
  const query = link.error
    ? { ...link, data: link.isPlaceholderData ? undefined : link.data }
    : link;
  usePlace(id, query.data);
  return (
    <div class="pad narrow">
      {isHeld ? (
        <Empty title="Link deleted">
          <p>
            <a href="/links">All links</a>
          </p>
        </Empty>
      ) : (
        <Together>
          <Loaded query={query} heading="Link">
            {(found) => <LinkDetails key={found.id} link={found} />}
          </Loaded>
        </Together>
      )}
    </div>
  );
}

/** The way back to the list with its filter, and the links before and after it there. */
function usePlace(id: string, link: LinkDetail | undefined) {
  const place = useListPlace(id);
  const filter = place?.filter;
  const group = idIn(filter?.group);
  const nameOf = useGroupNames(group ? [group] : []);
  const all = { label: "Links", href: "/links" };
  const parts = filter
    ? [
        filter.status && STATUS_WORDS[filter.status],
        group && nameOf(group),
        filter.site,
        filter.search && `“${filter.search}”`,
      ].filter((part) => !!part)
    : [];
  const name = link ? displayUrl(link.url).host : "Link";
  const crumbs = parts.map((part) => ({ label: String(part), href: place!.href }));
  const first = place && parts.length === 0 ? { ...all, href: place.href } : all;
  const { onPrevious, onNext } = place ?? {};
  useBar({
    crumbs: [first, ...crumbs, { label: name }],
    ...(place && {
      position: {
        text: place.text,
        ...(onPrevious && { onPrevious }),
        ...(onNext && { onNext }),
      },
    }),
  });
  useKeys({ k: () => onPrevious?.(), j: () => onNext?.() }, place !== null);
}

function LinkDetails({ link }: { link: LinkDetail }) {
  const part = { id: link.id, checkedAt: link.last_check?.checked_at ?? null };
  const raw = useRaw(part).data;
  const runs = useRuns(part);
  const isNew = link.last_check === null;
  return (
    <article class={`link-page is-${settledStatus(link)}`}>
      <LinkHead link={link} title={raw?.alive?.title ?? raw?.dead?.title ?? null} />
      <Decided link={link} />
      <div class="cols link">
        <div>
          <VerdictCard link={link} raw={raw} />
          <ThenAndNow link={link} />
          {!isNew && (
            <>
              <States query={runs} />
              <ResponseTimes part={part} query={runs} />
              <History part={part} query={runs} link={link} />
            </>
          )}
        </div>
        <aside>
          <ReplaceWith link={link} />
          {(!link.accepted_url || link.retired_at) && <Places link={link} />}
          <About link={link} />
          {settledStatus(link) !== "active" && <RestOfSite link={link} />}
          <Timeline link={link} />
          <AlertsSent part={part} />
        </aside>
      </div>
    </article>
  );
}

/** The URL, the page's title and what can be done. */
function LinkHead({ link, title }: { link: LinkDetail; title: string | null }) {
  const toast = useToast();
  const site = followable(link.url);
  const copy = async () => toast((await copyText(link.url)) ? "Copied" : "Not copied");
  return (
    <header class="lh">
      <div class="lh-t">
        <h1>
          <Url url={link.url} whole />
          {site && (
            <IconButton
              icon={ExternalLink}
              label="Open the site in a new tab"
              href={site}
              target="_blank"
            />
          )}
          <IconButton icon={Copy} label="Copy URL" onClick={copy} />
        </h1>
        <Title link={link} found={title} />
      </div>
      <Deeds link={link} />
    </header>
  );
}

function Deeds({ link }: { link: LinkDetail }) {
  const canWrite = useCanWrite();
  const check = useCheckNow(link);
  const { off, unlessOff } = useOffline();
  const start = unlessOff(check.start);
  const move = unlessOff(openGroups);
  const remove = unlessOff(useDelete(link));
  const [asked, ask] = useState<"override" | "url" | "edit" | null>(null);
  const decide = useTriage(link);
  const isAlive = settledStatus(link) === "active";
  const handle = unlessOff(() => void decide(acknowledgement([link])));
  const override = unlessOff(() => ask("override"));
  const replaceUrl = unlessOff(() => ask("url"));
  const press = (what: string) => () =>
    document.querySelector<HTMLElement>(`.link-page .task-${what}`)?.click();
  const assign = unlessOff(press("assign"));
  const tag = unlessOff(press("tags"));
  useKeys(
    {
      r: start,
      v: move,
      "#": remove,
      e: handle,
      o: override,
      u: replaceUrl,
      s: press("mute"),
      i: assign,
      t: tag,
    },
    canWrite,
  );
  const alive = isAlive ? "The link is alive" : undefined;
  const more = [
    { label: "Assign", icon: UserRound, keys: "I", off, onSelect: assign },
    { label: "Tags", icon: Tags, keys: "T", off, onSelect: tag },
    { label: "Edit", icon: Pencil, off, onSelect: () => ask("edit") },
    { label: "Replace URL", icon: Link2, keys: "U", off, onSelect: replaceUrl },
    { label: "Override", icon: Eye, keys: "O", off: off ?? alive, onSelect: override },
    { label: "Move to group", icon: FolderInput, keys: "V", off, onSelect: move },
    { label: "Delete", icon: Trash2, keys: "#", danger: true, off, onSelect: remove },
  ];
  const checking = { label: "Check now", icon: RefreshCw, keys: "R", onSelect: start };
  useCommands(canWrite ? [checking, ...more] : []);
  return (
    <div class="deeds">
      {canWrite && (
        <>
          <Button icon={RefreshCw} keys="R" off={off} busy={check.isBusy} onClick={start}>
            Check now
          </Button>
          <HandlePicks
            links={[link]}
            isAlive={isAlive}
            off={off}
            onChange={(change) => void decide(change)}
          />
          <Menu label="More" items={more} />
        </>
      )}
      {asked === "override" && <OverrideSheet link={link} onClose={() => ask(null)} />}
      {asked === "url" && <UrlSheet link={link} onClose={() => ask(null)} />}
      {asked === "edit" && <EditSheet link={link} onClose={() => ask(null)} />}
    </div>
  );
}

/** What people have decided about the link, if anything. */
function Decided({ link }: { link: LinkDetail }) {
  const { handling, handled_by: by, handled_at: at, override } = link;
  const { muted_until: until, muted_from: from } = link;
  const client = useQueryClient();
  const canWrite = useCanWrite();
  const end = () => endOverride(link.id).then(() => client.invalidateQueries({ queryKey: LINKS }));
  if (handling === "open" && !override) return null;
  return (
    <div class="decided">
      {handling !== "open" && (
        <p>
          <State status={handling} word />
          {until && (
            <>
              {" "}
              {from && from !== "link" && `with its ${from} `}until <Moment at={until} day />
            </>
          )}{" "}
          by {by} {at && <Moment at={at} />}
        </p>
      )}
      {override && (
        <p>
          <State status="overridden" word /> until <Moment at={override.until} day /> by{" "}
          {override.by}: “{override.note}” Overruled: {override.overruled.message}{" "}
          {canWrite && (
            <button type="button" class="word" onClick={() => void end()}>
              End it
            </button>
          )}
        </p>
      )}
    </div>
  );
}

/** Starts a check and announces its result. */
function useCheckNow(link: LinkDetail) {
  const toast = useToast();
  const client = useQueryClient();
  const isAwaited = useRef(false);
  const isRunning = link.status === "checking";
  useEffect(() => {
    if (isRunning || !isAwaited.current) return;
    isAwaited.current = false;
    toast(
      ["Checked.", `${headlineOf(link, Date.now())}.`, ...sentencesOf(link).slice(0, 1)].join(" "),
    );
  }, [isRunning]);
  const { mutate, isPending } = useMutation({
    mutationFn: () => checkNow(link.id),
    onSuccess: () => {
      isAwaited.current = true;
      // Shows the new status without waiting for a refetch.
      client.setQueryData(
        linkOptions(link.id).queryKey,
        (known) => known && { ...known, status: "checking" as const },
      );
    },
    onError: ({ message }) => toast(message),
    onSettled: () => client.invalidateQueries({ queryKey: LINKS }),
  });
  const isBusy = isRunning || isPending;
  return { isBusy, start: () => !isBusy && mutate() };
}

/** Goes back to the list at once; the request waits until Undo is over. */
function useDelete({ id }: LinkDetail) {
  const hold = useHold();
  const client = useQueryClient();
  const { route } = useLocation();
  return () => {
    hold([id], "1 link deleted", async () => {
      await deleteLink(id);
      await client.invalidateQueries({ queryKey: LINKS });
    });
    const place = lastPlace();
    route(place ? hrefOfFilter(place.filter) : "/links");
  };
}
