import { useQuery, useQueryClient } from "@tanstack/preact-query";
import { Archive, Download, Sparkles } from "lucide-preact";
import { useState } from "preact/hooks";
import { RequestFailed } from "../data/api.ts";
import { followable } from "../data/browser.ts";
import { settledStatus } from "../data/evidence.ts";
import { counted } from "../data/format.ts";
import { changeRows } from "../data/link-rows.ts";
import { LINKS, type LinkDetail } from "../data/links.ts";
import {
  hrefOfPlaces,
  lookAgain,
  replacedText,
  replaceLink,
  type Suggestion,
  type Suggestions,
  suggestionsOptions,
  takeBack,
} from "../data/repair.ts";
import { useCanWrite } from "../data/session.ts";
import { Ask } from "../frame/ask.tsx";
import { useCommands, useKeys } from "../frame/keys.ts";
import { useOffline, useSave, useToast } from "../frame/toast.tsx";
import { changeUrl } from "../triage/requests.ts";
import { Button } from "../ui/button.tsx";
import { FoundOn } from "../ui/found-on.tsx";
import { Loaded } from "../ui/loaded.tsx";
import { Moment } from "../ui/moment.tsx";
import { Section } from "../ui/section.tsx";
import { Url } from "../ui/url.tsx";
import { Compare } from "./compare.tsx";
import { LookupsOffer } from "./lookups.tsx";
import { evidenceOf, lookupText } from "./words.ts";
import "./repair.css";

type Props = { link: LinkDetail };

/** What could stand in place of a dead link, or what was stored to stand there. */
export function ReplaceWith({ link }: Props) {
  if (link.accepted_url) return <Stored link={link} url={link.accepted_url} />;
  return settledStatus(link) === "dead" ? <Choices link={link} /> : null;
}

function Choices({ link }: Props) {
  const query = useQuery(suggestionsOptions(link.id));
  return (
    <Section title="Replace with" class="fix">
      <Loaded query={query}>{(found) => <Found link={link} found={found} />}</Loaded>
      <LookupsOffer />
    </Section>
  );
}

function Found({ link, found: { items, lookup } }: Props & { found: Suggestions }) {
  const canWrite = useCanWrite();
  const { replace, duplicate, forget } = useReplace(link);
  const { off, unlessOff } = useOffline();
  const [compared, compare] = useState<Suggestion | null>(null);
  const pages = items.filter(({ kind }) => kind !== "archive");
  const copies = items.filter(({ kind }) => kind === "archive");
  const [best, ...others] = [...pages, ...copies];
  const replaceBest = unlessOff(() => best && replace(best));
  useKeys({ p: replaceBest }, canWrite && best !== undefined);
  useCommands(
    canWrite && best
      ? [{ label: "Replace with the best suggestion", keys: "P", icon: Sparkles, onSelect: replaceBest }]
      : [],
  );
  const show = (each: Suggestion, isBest = false) => (
    <Choice
      key={each.id}
      suggestion={each}
      isBest={isBest}
      off={off}
      onCompare={() => compare(each)}
      {...(canWrite && { onReplace: () => replace(each) })}
    />
  );
  return (
    <>
      {best && show(best, true)}
      {others.length > 0 && <ul class="fix-others">{others.map((each) => show(each))}</ul>}
      <Lookup link={link} lookup={lookup} isEmpty={items.length === 0} />
      {copies.length === 0 && <Elsewhere url={link.url} />}
      {compared && <Compare link={link} suggestion={compared} onClose={() => compare(null)} />}
      {duplicate && <Merge link={link} by={duplicate} onClose={forget} />}
    </>
  );
}

type ChoiceProps = {
  suggestion: Suggestion;
  isBest: boolean;
  off: string | undefined;
  onCompare: () => void;
  onReplace?: () => void;
};

function Choice({ suggestion, isBest, off, onCompare, onReplace }: ChoiceProps) {
  const { url, kind, captured_at: at } = suggestion;
  const site = followable(url);
  const shown = <Url url={url} whole />;
  const Box = isBest ? "div" : "li";
  return (
    <Box class={isBest ? "fix-best" : "fix-other"}>
      <p>{kind === "archive" && at ? <>Archived copy of <Moment at={at} day /></> : evidenceOf(suggestion)}</p>
      <p class="fix-url">
        {site ? (
          <a href={site} target="_blank" rel="noopener noreferrer nofollow">
            {shown}
          </a>
        ) : (
          shown
        )}
      </p>
      {kind === "archive" && <p class="hint">{evidenceOf(suggestion)}</p>}
      <div class="deeds">
        {onReplace && (
          <Button primary={isBest} off={off} {...(isBest && { keys: "P" })} onClick={onReplace}>
            Replace
          </Button>
        )}
        <Button onClick={onCompare}>Compare</Button>
      </div>
    </Box>
  );
}

/** How far the search is, or why there is nothing, and what can be done about it. */
function Lookup({ link, lookup, isEmpty }: Props & { lookup: Suggestions["lookup"]; isEmpty: boolean }) {
  const { off } = useOffline();
  const [isAsking, setAsking] = useState(false);
  const renews = [suggestionsOptions(link.id).queryKey];
  const again = useSave({ change: () => lookAgain(link.id), said: "Looking again.", renews });
  const text = lookupText(lookup, isEmpty);
  const isPrivate = lookup.state === "not_asked" && lookup.reasons.includes("private");
  const canWrite = useCanWrite();
  if (!text) return null;
  return (
    <div class="fix-state" role="status">
      <p class="hint">
        {text} {lookup.retry_at && <>The next attempt is <Moment at={lookup.retry_at} />.</>}
      </p>
      {canWrite && isPrivate && (
        <Button off={off} onClick={() => setAsking(true)}>
          Ask the archive
        </Button>
      )}
      {canWrite && isEmpty && !isPrivate && !isUnderWay(lookup) && (
        <Button off={off} busy={again.isPending} onClick={() => again.mutate()}>
          Look again
        </Button>
      )}
      {isAsking && (
        <Ask
          title="Ask the archive?"
          action="Ask the archive"
          said="Asking the archive."
          renews={renews}
          send={() => lookAgain(link.id, true)}
          onClose={() => setAsking(false)}
        >
          <p>
            The archive receives this URL, which may contain a secret or the name of a private host:
          </p>
          <p>
            <Url url={link.url} whole />
          </p>
        </Ask>
      )}
    </div>
  );
}

const isUnderWay = ({ state }: Suggestions["lookup"]) => state === "waiting" || state === "looking";

/** Nothing is requested there before the user follows the link. */
function Elsewhere({ url }: { url: string }) {
  const site = followable(url);
  if (!site) return null;
  return (
    <p class="archived">
      <Archive class="i" aria-hidden="true" />
      <a
        href={`https://web.archive.org/web/${site}`}
        target="_blank"
        rel="noopener noreferrer nofollow"
      >
        Archived copy<span class="unseen">, opens in a new tab</span>
      </a>
    </p>
  );
}

/** A link in sources keeps its URL until the places are edited. */
function Stored({ link, url }: Props & { url: string }) {
  const { off } = useOffline();
  const canWrite = useCanWrite();
  const undo = useSave({
    change: () => takeBack(link.id),
    said: "The replacement was taken back.",
    renews: [LINKS, ["overview"]],
  });
  return (
    <Section title="Replacement stored" hint={`Still in ${counted(link.places, "place")}`} class="fix">
      <p class="fix-url">
        <Url url={url} whole />
      </p>
      {link.accepted_at && (
        <p class="hint">
          By {link.accepted_by ?? "the API"} <Moment at={link.accepted_at} />. The link is removed when no
          page has the old URL.
        </p>
      )}
      {link.places > 0 && <FoundOn key={link.id} link={link} few={5} />}
      <p class="hint">
        <code>stillup fix</code> writes a diff for files.
      </p>
      <div class="deeds">
        <Button icon={Download} href={hrefOfPlaces()} download>
          Places as CSV
        </Button>
        {canWrite && (
          <Button off={off} busy={undo.isPending} onClick={() => undo.mutate()}>
            Undo
          </Button>
        )}
      </div>
    </Section>
  );
}

/** Replaces at once, says what happened, and takes it back by the opposite request. */
function useReplace(link: LinkDetail) {
  const toast = useToast();
  const client = useQueryClient();
  const [duplicate, setDuplicate] = useState<Suggestion | null>(null);
  const renew = () => {
    for (const topic of [LINKS, ["overview"], ["of-link", link.id]])
      void client.invalidateQueries({ queryKey: topic });
  };
  const replace = async (by: Suggestion) => {
    const done = await replaceLink(link.id, { suggestion_id: by.id }).finally(renew);
    const isMoved = done.mode === "link";
    if (isMoved) changeRows(client, [link.id], { url: by.url });
    const back = () => (isMoved ? changeUrl(link.id, link.url) : takeBack(link.id));
    toast(replacedText(done), () => back().finally(renew));
  };
  const complain = (by: Suggestion) => (error: Error) => {
    const isKnown = error instanceof RequestFailed && error.details.existingId;
    if (isKnown) setDuplicate(by);
    else toast(error.message);
  };
  return {
    replace: (by: Suggestion) => void replace(by).catch(complain(by)),
    duplicate,
    forget: () => setDuplicate(null),
  };
}

type MergeProps = Props & { by: Suggestion; onClose: () => void };

/** Where the new URL is monitored already, the old link is not needed. */
const Merge = ({ link, by, onClose }: MergeProps) => (
  <Ask
    title="Already monitored"
    action="Merge"
    said="The links were merged."
    renews={[LINKS, ["overview"]]}
    send={() => replaceLink(link.id, { suggestion_id: by.id }, true)}
    onClose={onClose}
  >
    <p>
      Another link has the new URL. Merging removes this link and keeps its replacement.
    </p>
  </Ask>
);
