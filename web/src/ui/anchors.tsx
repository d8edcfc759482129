import type { ComponentChildren } from "preact";

/** "#café", as a browser shows it. */
export function anchorText(fragment: string): string {
  try {
    return `#${decodeURIComponent(fragment)}`;
  } catch {
    return `#${fragment}`;
  }
}

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
