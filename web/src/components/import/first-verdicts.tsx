import { explain, isPending, type Link } from "../../lib/links.ts";
import { Status } from "../status.tsx";

/** @param links the newest of `total` */
export function FirstVerdicts({ links, total }: { links: Link[]; total: number }) {
  if (links.length === 0) return null;
  const waiting = links.filter(isPending).length;
  return (
    <section class="first" aria-label="Your links">
      <p role="status" class="hint">
        {waiting === 0
          ? "All of these are checked."
          : `${links.length - waiting} of ${links.length} checked…`}
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also by keyboard */}
      <div tabIndex={0}>
        <ul class="rows">
          {links.map((link) => (
            <li key={link.id}>
              <Status of={isPending(link) ? "checking" : link.status} />
              <div class="what">
                <span class="url" title={link.url}>
                  {link.url}
                </span>
                <p class="why">
                  {isPending(link) ? "Waiting for its first check." : explain(link)}
                </p>
              </div>
            </li>
          ))}
        </ul>
      </div>
      {total > links.length && (
        <p class="hint">And {(total - links.length).toLocaleString("en")} more.</p>
      )}
    </section>
  );
}
