import { useQuery } from "@tanstack/preact-query";
import { many } from "../data/format.ts";
import { ADVICE, REDIRECTS } from "../data/repair.ts";
import { Empty, Loaded } from "../ui/loaded.tsx";
import { Section } from "../ui/section.tsx";
import { Group } from "./group.tsx";
import { FromTo } from "./preview.tsx";

const ACTIVE = { status: "active" };

/** Advice for links that are alive and permanently lead to another URL. */
export function Redirects({ count }: { count: number }) {
  const advice = useQuery({ ...ADVICE, enabled: count > 0 });
  if (count === 0)
    return (
      <Empty title="No permanent redirects">
        <p>Links that redirect permanently to the same URL for a week appear here.</p>
      </Empty>
    );
  return (
    <>
      <Section title="Permanent redirects" hint="These links are alive. Most can stay as they are.">
        <ul class="panel repair-groups">
          <Group
            title="All"
            hint="They have redirected permanently to the same URL for a week or longer."
            count={count}
            links={REDIRECTS}
            wanted={{ suggestions: { kinds: ["moved"] }, filter: ACTIVE }}
          />
          <Group
            title="Same address, written differently"
            hint="Only https, www, a final slash, an index file or letter case differs."
            wanted={{ suggestions: { kinds: ["moved"], confidence: "safe" }, filter: ACTIVE }}
          />
        </ul>
      </Section>
      <Loaded query={advice}>
        {(items) => (
          <Section
            title="Where they lead"
            hint={count > items.length && `The latest ${many(items.length)}`}
          >
            <ul class="panel repair-groups">
              {items.map(({ id, from, to, evidence, isSafe }) => (
                <li key={id}>
                  <a class="repair-what" href={`/links/${id}`}>
                    <FromTo from={from} to={to} />
                    <p class="hint">{evidence}</p>
                  </a>
                  {isSafe && <span class="tagq">Same address</span>}
                </li>
              ))}
            </ul>
          </Section>
        )}
      </Loaded>
    </>
  );
}
