import type { LinkDetail } from "../data/links.ts";
import type { Suggestion } from "../data/repair.ts";
import type { Closable } from "../frame/ask.tsx";
import { Moment } from "../ui/moment.tsx";
import { Sheet } from "../ui/overlay.tsx";
import { Url } from "../ui/url.tsx";
import { evidenceOf } from "./words.ts";

const MATCHES = {
  yes: "It is about the same as the page that is remembered.",
  no: "It is about something else.",
  unknown: "Nothing is remembered of the old page.",
};

type CompareProps = Closable & { link: LinkDetail; suggestion: Suggestion };

/** What the link led to, and what the suggestion leads to. */
export function Compare({ link, suggestion, onClose }: CompareProps) {
  const { url, evidence, captured_at: at, checked_at: checkedAt } = suggestion;
  const then = link.identity?.first_title ?? link.identity?.title ?? "–";
  return (
    <Sheet title="Compare" onClose={onClose}>
      <dl class="facts">
        <dt>Then</dt>
        <dd>
          <b>{then}</b>
          <br />
          <Url url={link.url} whole />
        </dd>
        <dt>{at ? "Copy" : "Now"}</dt>
        <dd>
          <b>{String(evidence.title ?? "–")}</b>
          <br />
          <Url url={url} whole />
        </dd>
        {at && (
          <>
            <dt>Archived</dt>
            <dd>
              <Moment at={at} clock />
            </dd>
          </>
        )}
        <dt>Checked</dt>
        <dd>
          <Moment at={checkedAt} />
        </dd>
      </dl>
      <p class="compared">{MATCHES[suggestion.matches]}</p>
      <p class="hint">{evidenceOf(suggestion)}</p>
    </Sheet>
  );
}
