import { ExternalLink } from "lucide-preact";
import { type Stop, stopsOf } from "../lib/addresses.ts";
import type { Redirect } from "../lib/evidence.ts";
import { followable } from "../lib/outside.ts";
import { Fold } from "./fold.tsx";

type RedirectChainProps = { redirects: Redirect[]; finalUrl: string | null };

const SHOWN = 5;

/** The way from URL to URL, with what differs from one to the next. */
export function RedirectChain({ redirects, finalUrl }: RedirectChainProps) {
  const urls = [...redirects.map(({ url }) => url), ...(finalUrl === null ? [] : [finalUrl])];
  const stops = stopsOf(urls).map((stop, index) => ({
    stop,
    url: urls[index]!,
    redirect: redirects[index],
  }));
  return (
    <ol class="chain">
      <Fold items={stops} most={SHOWN}>
        {({ stop, url, redirect }, index) => (
          <li key={index}>
            <code>{redirect ? redirect.status : "end"}</code>
            <div>
              <StopLink url={url} stop={stop} />
              <p class="hint">
                {[
                  ...(stop.changes ? [stop.changes] : []),
                  ...(redirect?.via === "refresh" ? ["a page that sent on"] : []),
                ].join("; ")}
              </p>
            </div>
          </li>
        )}
      </Fold>
    </ol>
  );
}

function StopLink({ url, stop }: { url: string; stop: Stop }) {
  const href = followable(url);
  const text = stop.pieces.map(({ text, differs }, index) =>
    differs ? <mark key={index}>{text}</mark> : text,
  );
  if (!href) return <span class="url">{text}</span>;
  return (
    <a class="url" href={href} target="_blank" rel="noopener noreferrer nofollow">
      {text}
      <ExternalLink aria-label="opens in a new tab" />
    </a>
  );
}
