import type { LinkDetail } from "../data/links.ts";
import type { Suggestion } from "../data/repair.ts";
import type { Closable } from "../frame/ask.tsx";
import { Moment } from "../ui/moment.tsx";
import { Sheet } from "../ui/overlay.tsx";
import { Url } from "../ui/url.tsx";

const MATCHES = {
  yes: "It is the same page, as far as its title and text show.",
  no: "It is about something else.",
  unknown: "The old page is not remembered, so compare them yourself.",
};

type CompareProps = Closable & { link: LinkDetail; suggestion: Suggestion };

/** What the link led to, and what the suggestion leads to. */
export function Compare({ link, suggestion, onClose }: CompareProps) {
  const { url, title, evidence, captured_at: at, checked_at: checkedAt } = suggestion;
  const then = link.identity?.title ?? link.title;
  return (
    <Sheet title="Compare" onClose={onClose}>
      <div class="fix-compare">
        <section>
          <h3>Then</h3>
          <p class="compared">{then ?? "No title is remembered"}</p>
          <p class="soft">
            <Url url={link.url} whole />
          </p>
        </section>
        <section>
          <h3>{at ? "Archived copy" : "Now"}</h3>
          <p class="compared">{title ?? "No title"}</p>
          <p class="soft">
            <Url url={url} whole />
          </p>
          <p class="hint">
            {at && (
              <>
                Saved <Moment at={at} clock />.{" "}
              </>
            )}
            Checked <Moment at={checkedAt} />.
          </p>
        </section>
        <p>{MATCHES[suggestion.matches]}</p>
        <ul class="fix-why">
          {evidence.map((sentence) => (
            <li key={sentence}>{sentence}</li>
          ))}
        </ul>
      </div>
    </Sheet>
  );
}
