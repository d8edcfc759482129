import { MissingAnchor } from "../ui/anchors.tsx";
import { type Occurrence, placeText } from "../ui/found-on.tsx";
import { State } from "../ui/state.tsx";
import { Proof } from "../ui/trace.tsx";
import { Url } from "../ui/url.tsx";

/** A link on its page: its state, where it leads, its words and its line. */
export const PlaceLine = ({ place }: { place: Occurrence }) => {
  const { url, fragment, fragment_missing: isMissing, flagged, link } = place;
  const status = link?.status ?? null;
  const whole = fragment === null ? url : `${url}#${fragment}`;
  return (
    <li class="src-place">
      {status ? <State status={status} /> : <span />}
      <span class="src-target" data-room>
        {link ? (
          <a href={`/links/${link.id}`}>
            <Url url={whole} column="place" />
          </a>
        ) : (
          <Url url={whole} column="place" />
        )}
      </span>
      <span class="src-about">
        {(status === "dead" || status === "unknown") && (
          <Proof reason={link!.reason} status={status} />
        )}
        {isMissing && <MissingAnchor alike={place.fragment_alike} />}
        <span class="soft clip">{placeText(place)}</span>
        {flagged && <span class="soft">missing in the last run</span>}
      </span>
    </li>
  );
};
