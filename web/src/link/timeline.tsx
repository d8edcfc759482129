import { useQuery } from "@tanstack/preact-query";
import type { LinkDetail } from "../data/links.ts";
import { LINKS } from "../data/links.ts";
import { fieldWords } from "../data/words.ts";
import { listTimeline, type TimelineEntry } from "../triage/requests.ts";
import { Loaded } from "../ui/loaded.tsx";
import { Moment } from "../ui/moment.tsx";
import { Section } from "../ui/section.tsx";

/** What people did to the link, and what of it ended. Nothing if there is nothing. */
export function Timeline({ link }: { link: LinkDetail }) {
  const query = useQuery({
    queryKey: [...LINKS, "one", link.id, "timeline"],
    queryFn: () => listTimeline(link.id, 1),
  });
  if (query.data?.items.length === 0) return null;
  return (
    <Section title="Timeline" class="timeline">
      <Loaded query={query}>
        {({ items }) => (
          <ul>
            {items.map((entry) => (
              <li key={`${entry.at} ${entry.kind}`}>
                <p>{wordsOf(entry)}</p>
                <p class="soft">
                  <Moment at={entry.at} clock />
                  {entry.by && ` by ${entry.by}`}
                </p>
              </li>
            ))}
          </ul>
        )}
      </Loaded>
    </Section>
  );
}

const WHY: Record<string, string> = {
  expired: "its time was over",
  worked: "a check found the link alive",
  changed: "a check found something else",
};

function wordsOf({ kind, detail, previous_url: url, by }: TimelineEntry) {
  const until = detail && <Moment at={detail} day />;
  switch (kind) {
    case "acknowledged":
      return "Acknowledged";
    case "acknowledgement_ended":
      return "Acknowledgement ended: the link changed";
    case "muted":
      return <>Muted until {until}</>;
    case "mute_ended":
      return "Mute ended";
    case "reopened":
      return "Reopened";
    case "assigned":
      return detail ? `Assigned to ${detail}` : "Unassigned";
    case "override_set":
      return <>Overridden until {until}</>;
    case "override_ended":
      return by ? "Override ended" : `Override ended: ${WHY[detail ?? ""] ?? detail}`;
    case "url_changed":
      return `URL changed${url ? `, was ${url}` : ""}${detail ? `: ${detail}` : ""}`;
    case "replaced":
      return `Replacement accepted${detail ? `: ${detail}` : ""}`;
    case "tagged":
      return detail ? `Tagged ${detail}` : "Tags removed";
    case "page_changed":
      return detail;
    case "page_accepted":
      return "The page is the right one";
    default:
      return `Changed: ${fieldWords((detail ?? "").split(/, ?/))}`;
  }
}
