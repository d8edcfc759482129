import type { Link } from "../lib/links.ts";

type PickLinkProps = {
  link: Link;
  isPicked: (id: string) => boolean;
  onPick: (id: string, isRange: boolean) => void;
};

/** With shift, a click or the space bar picks all from the last picked one on. */
export const PickLink = ({ link: { id, url }, isPicked, onPick }: PickLinkProps) => (
  <label class="pick">
    <input
      type="checkbox"
      aria-label={`Select ${url}`}
      aria-keyshortcuts="x"
      checked={isPicked(id)}
      onMouseDown={keepText}
      onClick={(event) => onPick(id, event.shiftKey)}
    />
  </label>
);

/** A range of rows is not a range of text. */
const keepText = (event: MouseEvent) => event.shiftKey && event.preventDefault();
