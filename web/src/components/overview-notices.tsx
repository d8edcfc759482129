import { Unplug } from "lucide-preact";
import type { Overview } from "../lib/overview.ts";
import { Moment } from "./moment.tsx";

type Webhooks = Overview["webhooks"];
type Disabled = Webhooks["disabled"]["items"][number];

/** More are only counted. */
const MOST_SHOWN = 3;

/** A webhook that nobody switched off tells nobody any more, which must be noticed somewhere else. */
export function SwitchedOff({ webhooks: { disabled } }: { webhooks: Webhooks }) {
  if (disabled.total === 0) return null;
  const shown = disabled.items.slice(0, MOST_SHOWN);
  const rest = disabled.total - shown.length;
  return (
    <div class="notice notice-warn overview-notice">
      <Unplug aria-hidden="true" />
      <ul>
        {shown.map((webhook) => (
          <li key={webhook.id}>
            The <a href={`/webhooks/${webhook.id}`}>webhook to {webhook.host}</a> was switched off
            {webhook.since && (
              <>
                {" "}
                <Moment at={webhook.since} />
              </>
            )}
            {why(webhook)}
          </li>
        ))}
        {rest > 0 && (
          <li>
            <a href="/webhooks">{rest === 1 ? "One more webhook" : `${rest} more webhooks`}</a>{" "}
            {rest === 1 ? "was" : "were"} switched off.
          </li>
        )}
      </ul>
    </div>
  );
}

const why = ({ reason }: Disabled) =>
  reason === "gone"
    ? ": its receiver answered 410, that it wants no more."
    : ": nothing could be delivered for days.";
