import { ExternalLink } from "lucide-preact";
import { followable } from "../lib/browser.ts";

/** A stranger's URL: a link only if opening it is harmless. */
export function OutsideLink({ url }: { url: string }) {
  const href = followable(url);
  if (!href) return <span class="url">{url}</span>;
  return (
    <a class="url" href={href} target="_blank" rel="noopener noreferrer nofollow">
      {url}
      <ExternalLink aria-label="opens in a new tab" />
    </a>
  );
}

/** The same as a small button. */
export function OpenOutside({ url }: { url: string }) {
  const href = followable(url);
  if (!href) return null;
  return (
    <a
      class="button icon"
      href={href}
      target="_blank"
      rel="noopener noreferrer nofollow"
      aria-label={`Open ${url} in a new tab`}
      title="Open in a new tab"
    >
      <ExternalLink aria-hidden="true" />
    </a>
  );
}
