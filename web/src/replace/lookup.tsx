import { useState } from "preact/hooks";
import type { LinkDetail } from "../data/links.ts";
import {
  lookAgain,
  type Suggestion,
  type Suggestions,
  suggestionsOptions,
} from "../data/repair.ts";
import { useCanWrite } from "../data/session.ts";
import { Ask } from "../frame/ask.tsx";
import { useOffline, useSave } from "../frame/toast.tsx";
import { Button } from "../ui/button.tsx";
import { Moment } from "../ui/moment.tsx";
import { Url } from "../ui/url.tsx";
import { copyReasonText, isUnderWay, lookupText } from "./words.ts";

type LookupProps = {
  link: LinkDetail;
  lookup: NonNullable<Suggestions["lookup"]>;
  found: Suggestion[];
};

/** How far the search is or why it found nothing, and what can be done about it. */
export function Lookup({ link, lookup, found }: LookupProps) {
  const { off } = useOffline();
  const canWrite = useCanWrite();
  const [isAsking, setAsking] = useState(false);
  const renews = [suggestionsOptions(link.id).queryKey];
  const again = useSave({ change: () => lookAgain(link.id), said: "Looking again.", renews });
  const hasCopy = found.some(({ kind }) => kind === "archive");
  const text = lookupText(lookup, found.length === 0, hasCopy);
  if (!text) return null;
  const isPrivate = lookup.state === "not_asked";
  const refusals = hasCopy ? [] : lookup.reasons.filter(({ captured_at: at }) => at !== null);
  return (
    <div class="fix-state">
      <p class="hint" role="status">
        {text}
        {lookup.retry_at && (
          <>
            {" "}
            Next attempt: <Moment at={lookup.retry_at} clock />.
          </>
        )}
      </p>
      {refusals.length > 0 && (
        <ul class="hint">
          {refusals.map(({ reason, captured_at: at }) => (
            <li key={at}>
              <Moment at={at!} day />: {copyReasonText(reason)}
            </li>
          ))}
        </ul>
      )}
      {canWrite && !isUnderWay(lookup) && (
        <Button
          off={off}
          busy={again.isPending}
          onClick={() => (isPrivate ? setAsking(true) : again.mutate())}
        >
          {isPrivate ? "Ask the archive" : "Look again"}
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
          <p>The Wayback Machine receives this URL. It may contain a secret or a private name:</p>
          <p>
            <Url url={link.url} whole />
          </p>
        </Ask>
      )}
    </div>
  );
}
