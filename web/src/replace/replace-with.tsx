import { useQuery } from "@tanstack/preact-query";
import { Archive, Download, Sparkles } from "lucide-preact";
import { useState } from "preact/hooks";
import { RequestFailed } from "../data/api.ts";
import { followable } from "../data/browser.ts";
import { shownUrl } from "../data/display-url.ts";
import { settledStatus } from "../data/evidence.ts";
import { counted } from "../data/format.ts";
import { LINKS, type LinkDetail } from "../data/links.ts";
import {
  placesHref,
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
import { useReplacement } from "../triage/use-replacement.ts";
import { Button } from "../ui/button.tsx";
import { FoundOn } from "../ui/found-on.tsx";
import { Loaded } from "../ui/loaded.tsx";
import { Moment } from "../ui/moment.tsx";
import { Section } from "../ui/section.tsx";
import { Url } from "../ui/url.tsx";
import { Compare } from "./compare.tsx";
import { Lookup } from "./lookup.tsx";
import { LookupsOffer } from "./lookups.tsx";
import "./replace.css";

type Props = { link: LinkDetail };

/** What could stand in the place of a dead link, or what was stored to stand there. */
export function ReplaceWith({ link }: Props) {
  if (link.accepted_url) return <Stored link={link} url={link.accepted_url} />;
  return settledStatus(link) === "dead" ? <Choices link={link} /> : null;
}

function Choices({ link }: Props) {
  const query = useQuery(suggestionsOptions(link.id));
  return <Loaded query={query}>{(found) => <Found link={link} found={found} />}</Loaded>;
}

/** The best one first; archived copies stand apart. */
function Found({ link, found: { items, lookup } }: Props & { found: Suggestions }) {
  const canWrite = useCanWrite();
  const { replace, merging } = useReplace(link);
  const { off, unlessOff } = useOffline();
  const [compared, compare] = useState<Suggestion | null>(null);
  const [best] = items;
  const pages = items.filter(({ kind }) => kind !== "archive");
  const copies = items.filter(({ kind }) => kind === "archive");
  const replaceBest = unlessOff(() => best && replace(best));
  const isOffered = canWrite && best !== undefined;
  const command = { label: "Replace with the suggestion", keys: "P", icon: Sparkles };
  useKeys({ p: replaceBest }, isOffered);
  useCommands(isOffered ? [{ ...command, onSelect: replaceBest }] : []);
  const choices = (some: Suggestion[]) =>
    some.map((each) => (
      <li key={each.id}>
        <Target suggestion={each} />
        <p class="fix-why">{each.evidence.join(" ")}</p>
        <div class="deeds">
          {canWrite && (
            <Button
              primary={each === best}
              keys={each === best ? "P" : ""}
              off={off}
              onClick={() => replace(each)}
            >
              Replace<span class="unseen"> with {shownUrl(each.url)}</span>
            </Button>
          )}
          <Button onClick={() => compare(each)}>Compare</Button>
        </div>
      </li>
    ));
  return (
    <Section title="Replace with" class={best ? "fix" : "fix none"}>
      {pages.length > 0 && <ul>{choices(pages)}</ul>}
      {copies.length > 0 && (
        <>
          {pages.length > 0 && <hr />}
          <h3 class="hint">Archived copy</h3>
          <ul>{choices(copies)}</ul>
        </>
      )}
      {lookup && <Lookup link={link} lookup={lookup} found={items} />}
      <LookupsOffer />
      {copies.length === 0 && <Elsewhere url={link.url} />}
      {compared && <Compare link={link} suggestion={compared} onClose={() => compare(null)} />}
      {merging}
    </Section>
  );
}

/** Where a suggestion leads; of a copy, when it was saved, and by which archive. */
function Target({ suggestion: { url, captured_at: at } }: { suggestion: Suggestion }) {
  const site = followable(url);
  const shown = at ? (
    <>
      <Moment at={at} day />, {URL.parse(url)?.host}
    </>
  ) : (
    <Url url={url} whole />
  );
  return (
    <p class="fix-url">
      {site ? (
        <a href={site} target="_blank" rel="noopener noreferrer nofollow">
          {shown}
        </a>
      ) : (
        shown
      )}
    </p>
  );
}

/** Nothing is requested there before the user follows the link. */
function Elsewhere({ url }: { url: string }) {
  const site = followable(url);
  if (!site) return null;
  return (
    <p class="fix-elsewhere">
      <Archive class="i" aria-hidden="true" />
      <a
        href={`https://web.archive.org/web/${site}`}
        target="_blank"
        rel="noopener noreferrer nofollow"
      >
        Search the Wayback Machine<span class="unseen">, opens in a new tab</span>
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
    undo: () => replaceLink(link.id, { url }),
    renews: [LINKS, ["overview"]],
  });
  const { places, accepted_by: by, accepted_at: at, retired_at: retiredAt } = link;
  const isOver = retiredAt !== null;
  return (
    <Section
      title={isOver ? "Replaced" : "Stored"}
      hint={!isOver && `Still in ${counted(places, "place")}`}
      class="fix"
    >
      <p class="fix-url">
        <Url url={url} whole />
      </p>
      <p class="fix-why">
        By {by} {at && <Moment at={at} />}.
        {!isOver && " This link is removed when no page has the old URL."}
      </p>
      {places > 0 && <FoundOn key={link.id} link={link.id} few={5} />}
      {!isOver && (
        <div class="deeds">
          <Button
            icon={Download}
            href={placesHref()}
            title="All places with a replaced URL, as CSV"
            download
          >
            Download places
          </Button>
          {canWrite && (
            <Button off={off} busy={undo.isPending} onClick={() => undo.mutate()}>
              Take back
            </Button>
          )}
        </div>
      )}
    </Section>
  );
}

type Duplicate = { suggestion: Suggestion; other: string };

/** Replaces at once. Where another link has the new URL, merging is offered. */
function useReplace(link: LinkDetail) {
  const toast = useToast();
  const send = useReplacement(link);
  const [duplicate, setDuplicate] = useState<Duplicate | null>(null);
  const replace = (suggestion: Suggestion) =>
    void send({ suggestion_id: suggestion.id }).catch((error: Error) => {
      const other = error instanceof RequestFailed && error.details.existingId;
      if (other) setDuplicate({ suggestion, other: String(other) });
      else toast(error.message);
    });
  const merging = duplicate && (
    <Ask
      title="Merge the links?"
      action="Merge"
      said="The links were merged."
      renews={[LINKS, ["overview"]]}
      send={() => replaceLink(link.id, { suggestion_id: duplicate.suggestion.id }, true)}
      onClose={() => setDuplicate(null)}
    >
      <p>
        <a href={`/links/${duplicate.other}`}>Another link</a> has this URL already. Merging removes
        this link and keeps what it was replaced with.
      </p>
    </Ask>
  );
  return { replace, merging };
}
