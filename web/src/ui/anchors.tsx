import type { ComponentChildren } from "preact";
import { decodeBytes } from "../data/display-url.ts";

/** "#café", as a browser shows it. */
export const anchorText = (fragment: string): string => `#${decodeBytes(fragment) ?? fragment}`;

type MissingAnchorProps = { alike?: string[]; since?: ComponentChildren };

/** Says that a page lost an anchor, and which of its ids look like it. */
export const MissingAnchor = ({ alike = [], since }: MissingAnchorProps) => (
  <>
    <span class="tagq w">No such anchor</span>
    {since}
    {alike.length > 0 && (
      <span class="soft">like {alike.map((id) => anchorText(id)).join(", ")}</span>
    )}
  </>
);
