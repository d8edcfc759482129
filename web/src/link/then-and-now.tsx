import { LINKS, type LinkDetail } from "../data/links.ts";
import { useOff } from "../data/live.ts";
import { useCanWrite } from "../data/session.ts";
import { useSave } from "../frame/toast.tsx";
import { acceptPage } from "../triage/requests.ts";
import { Button } from "../ui/button.tsx";
import { Moment } from "../ui/moment.tsx";
import { Section } from "../ui/section.tsx";
import { Url } from "../ui/url.tsx";

type Identity = NonNullable<LinkDetail["identity"]>;

/** States in which the page may not be the one that was linked to. */
const HEADLINES: Partial<Record<Identity["state"], string>> = {
  doubted: "It may be another page",
  changed: "It leads to something else than before",
  lost: "It may have a new owner",
};

/** What the link led to, and what it leads to now, if that is something else. */
export function ThenAndNow({ link }: { link: LinkDetail }) {
  const { identity } = link;
  const headline = identity && HEADLINES[identity.state];
  if (!headline) return null;
  return (
    <Section title="Then and now" hint={headline} class="then-and-now">
      <dl class="facts">
        <dt>Then</dt>
        <dd>{titleThen(identity)}</dd>
        <dt>Now</dt>
        <dd>{identity.title_now ?? "–"}</dd>
        {identity.final_url && (
          <>
            <dt>Leads to</dt>
            <dd>
              <Url url={identity.final_url} />{" "}
              {identity.redirects_since && (
                <span class="soft">
                  since <Moment at={identity.redirects_since} day />
                </span>
              )}
            </dd>
          </>
        )}
      </dl>
      {identity.doubt && <Doubt {...identity.doubt} />}
      <Details identity={identity} />
      <Accept link={link} />
    </Section>
  );
}

/** The page before the one that is remembered now, if a change has been reported. */
const titleThen = ({ state, title, first_title: first }: Identity) =>
  (state === "changed" ? first : null) ?? title ?? "–";

const Doubt = ({ signs, since, seen }: NonNullable<Identity["doubt"]>) => (
  <>
    <ul class="signs">
      {signs.map(({ rule, text }) => (
        <li key={rule}>{text}</li>
      ))}
    </ul>
    <p class="hint">
      Seen {seen === 1 ? "once" : `${seen} times`} since <Moment at={since} day />.
    </p>
  </>
);

function Details({ identity: { distance, language, compared_at: at } }: { identity: Identity }) {
  if (distance === null) return null;
  return (
    <details>
      <summary>Details</summary>
      <p class="hint">
        {distance} of 64 bits of the texts' fingerprints differ. The same page differs by up to 39
        after years, another one by around 31.{language && ` Language: ${language}.`} Compared{" "}
        <Moment at={at} clock />.
      </p>
    </details>
  );
}

function Accept({ link: { id } }: { link: LinkDetail }) {
  const off = useOff();
  const accept = useSave({
    change: () => acceptPage(id),
    said: "The page is the right one. It is checked again.",
    renews: [LINKS],
  });
  if (!useCanWrite()) return null;
  return (
    <Button off={off} busy={accept.isPending} onClick={() => accept.mutate()}>
      This is right now
    </Button>
  );
}
