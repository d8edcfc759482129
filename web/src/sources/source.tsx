import { Pause, Pencil, Play, RefreshCw, Square, Trash2 } from "lucide-preact";
import { useState } from "preact/hooks";
import { useLocation, useRoute } from "preact-iso";
import { followable } from "../data/browser.ts";
import { hrefOf } from "../data/changes.ts";
import { counted, many } from "../data/format.ts";
import { useGroupsOf } from "../data/groups.ts";
import { useHeld } from "../data/held.ts";
import { useCanWrite } from "../data/session.ts";
import { isRunning, SOURCES, type Source } from "../data/sources.ts";
import { FREQUENCY_WORDS } from "../data/words.ts";
import { useBar } from "../frame/bar.tsx";
import { useCommands, useKeys } from "../frame/keys.ts";
import { useHold, useOffline, useSave } from "../frame/toast.tsx";
import { Button } from "../ui/button.tsx";
import { Loaded, Redirect, Together } from "../ui/loaded.tsx";
import { Menu } from "../ui/menu.tsx";
import { Moment } from "../ui/moment.tsx";
import { State } from "../ui/state.tsx";
import { Url } from "../ui/url.tsx";
import { EditSource } from "./form.tsx";
import { KINDS } from "./kinds.ts";
import { Pages } from "./pages.tsx";
import { cancelRun, changeSource, deleteSource, runSource, useSource } from "./queries.ts";
import { Runs } from "./runs.tsx";
import { metIn, pagesText, pageWord, progressText, stateOf } from "./words.ts";
import "./sources.css";

/** One source: what is happening to it, on which pages its dead links are, and its runs. */
export default function SourcePage() {
  const { id = "" } = useRoute().params;
  const source = useSource(id);
  const held = useHeld();
  useBar({
    crumbs: [{ label: "Sources", href: "/sources" }, { label: source.data?.name ?? "Source" }],
  });
  if (held.has(id)) return <Redirect to="/sources" />;
  return (
    <div class="pad narrow">
      <Together>
        <Loaded query={source} heading="Source">
          {(found) => <SourceParts key={found.id} source={found} />}
        </Loaded>
      </Together>
    </div>
  );
}

const SourceParts = ({ source }: { source: Source }) => (
  <article class="src">
    <div class="lead">
      <div>
        <h1>{source.name}</h1>
        <p class="src-address">
          {KINDS[source.kind].name} {source.url && <Address url={source.url} />}
        </p>
      </div>
      <Deeds source={source} />
    </div>
    <Now source={source} />
    <Facts source={source} />
    <Pages source={source} />
    {source.kind !== "push" && <Runs source={source} />}
  </article>
);

const Address = ({ url }: { url: string }) => {
  const site = followable(url);
  return site ? (
    <a href={site} target="_blank" rel="noopener noreferrer nofollow">
      <Url url={url} whole />
    </a>
  ) : (
    <Url url={url} whole />
  );
};

const RENEWS = [SOURCES];

function Deeds({ source }: { source: Source }) {
  const { id, name, kind, paused } = source;
  const { route } = useLocation();
  const canWrite = useCanWrite();
  const hold = useHold();
  const { off, unlessOff } = useOffline();
  const [isEditing, setEditing] = useState(false);
  const said = ({ message }: { message: string }) => message;
  const run = useSave({ change: () => runSource(id), said, renews: RENEWS });
  const cancel = useSave({ change: () => cancelRun(id), said, renews: RENEWS });
  const setPaused = (isPaused: boolean) => changeSource(id, { paused: isPaused });
  const pause = useSave({
    change: () => setPaused(!paused),
    said: paused ? "The source is read on schedule again." : "The source is paused.",
    undo: () => setPaused(paused),
    renews: RENEWS,
  });
  const remove = (links: "keep" | "retire") => () => {
    hold([id], `“${name}” was deleted`, () => deleteSource(id, links));
    route("/sources");
  };
  const isRun = isRunning(source);
  const start = unlessOff(() => !isRun && !run.isPending && run.mutate());
  useKeys({ r: start }, canWrite && kind !== "push");
  const items = [
    { label: "Edit", icon: Pencil, off, onSelect: () => setEditing(true) },
    {
      label: paused ? "Resume" : "Pause",
      icon: paused ? Play : Pause,
      off,
      onSelect: () => pause.mutate(),
    },
    {
      label: "Delete and keep its links",
      icon: Trash2,
      danger: true,
      off,
      onSelect: remove("keep"),
    },
    { label: "Delete with its links", icon: Trash2, danger: true, off, onSelect: remove("retire") },
  ];
  useCommands(canWrite ? items : []);
  if (!canWrite) return null;
  return (
    <div class="src-deeds">
      {kind !== "push" &&
        (isRun ? (
          <Button icon={Square} off={off} busy={cancel.isPending} onClick={() => cancel.mutate()}>
            Cancel
          </Button>
        ) : (
          <Button icon={RefreshCw} keys="R" off={off} busy={run.isPending} onClick={start}>
            Run now
          </Button>
        ))}
      <Menu label="More" items={items} />
      {isEditing && <EditSource source={source} onClose={() => setEditing(false)} />}
    </div>
  );
}

/** What is happening to the source now, and what to do about it. */
function Now({ source }: { source: Source }) {
  const { id, run, kind, counts } = source;
  const canWrite = useCanWrite();
  const accept = useSave({
    change: () => runSource(id, true),
    said: ({ message }) => message,
    renews: RENEWS,
  });
  const isRun = isRunning(source);
  const { shape, text, bad } = stateOf(source, Date.now());
  const isShrunken = !isRun && run?.reason === "shrunken";
  return (
    <div class={bad ? "panel src-now bad" : "panel src-now"}>
      <p class="src-now-state">
        <State status={shape} hidden />
        <b role="status">{isRun ? "Run under way" : text}</b>
        {isRun && run && (
          <span>
            {run.status === "settling" ? text : progressText(run, kind)}
            {counts.dead > 0 && `, ${counted(counts.dead, "dead link")} so far`}
          </span>
        )}
        {!isRun && run?.ended_at && (
          <span class="soft">
            Last run <Moment at={run.ended_at} />, {pagesText(run, kind)}
          </span>
        )}
      </p>
      {isRun && run && <Progress done={metIn(run)} waiting={run.pages.waiting} />}
      {!isRun && run?.message && <p>{run.message}</p>}
      {!isRun && run && ADVICE[run.reason ?? ""] && <p class="soft">{ADVICE[run.reason ?? ""]}</p>}
      {isShrunken && canWrite && (
        <Button busy={accept.isPending} onClick={() => accept.mutate()}>
          Accept the new size
        </Button>
      )}
    </div>
  );
}

const KEPT = "No links were removed.";

const ADVICE: Record<string, string | undefined> = {
  shrunken: `${KEPT} If the source is smaller on purpose, accept the new size.`,
  pages_failed: KEPT,
  total_mismatch: KEPT,
  limit: `${KEPT} Raise the maximum number of pages, or exclude some.`,
  unauthorized: "Edit the source and enter a new credential.",
  moved_away: "Create a source for the new address, and delete this one.",
  not_a_sitemap: "Check the address. A site can be read without a sitemap.",
};

/** How much of what is known was read. */
function Progress({ done, waiting }: { done: number; waiting: number }) {
  const share = done + waiting === 0 ? 0 : (done / (done + waiting)) * 100;
  return (
    <svg class="src-progress" viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
      <rect width="100" height="4" />
      <rect class="done" width={share} height="4" />
    </svg>
  );
}

/** What it has, when it is read, and where its new links go, in three sentences. */
function Facts({ source }: { source: Source }) {
  const { id, counts, paused, kind, schedule, time_zone: zone, next_run_at: next } = source;
  const { byId } = useGroupsOf(source.group_id ? [source.group_id] : []);
  const group = byId.get(source.group_id ?? "");
  const hrefOfDead = hrefOf("/links", { source_id: id, status: "dead" });
  return (
    <p class="src-facts">
      <a class={counts.dead > 0 ? "bad" : ""} href={hrefOfDead}>
        {counted(counts.dead, "dead link")}
      </a>{" "}
      of <a href={hrefOf("/links", { source_id: id })}>{many(counts.links)}</a>, in{" "}
      {counted(counts.places, "place")} on {counted(counts.pages, pageWord(kind))}.{" "}
      {kind !== "push" && (
        <>
          {paused ? (
            "Paused"
          ) : next ? (
            <>
              Next run <Moment at={next} />
            </>
          ) : (
            "Not read again"
          )}
          ,{" "}
          {schedule ? (
            <>
              on schedule <code>{schedule}</code> {zone}
            </>
          ) : (
            "once a day"
          )}
          .{" "}
        </>
      )}
      New links are checked {FREQUENCY_WORDS[source.check_frequency].toLowerCase()}
      {group && (
        <>
          {" "}
          in <i class="gsq" style={{ background: group.color }} /> {group.name}
        </>
      )}
      .
    </p>
  );
}
