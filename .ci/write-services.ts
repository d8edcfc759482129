import { placesOf } from "../server/judge/services/catalogue.ts";
import { type Ask, asksOf, type Kind, type Service } from "../server/judge/services/record.ts";
import { BUILT_IN } from "../server/judge/services/records/built-in.ts";

const fileAt = (path: string) => new URL(`../${path}`, import.meta.url).pathname;

/** The pages that list the catalogue, each between two marks. */
const PAGES = [
  { file: fileAt("README.md"), text: () => sentenceOf(BUILT_IN) },
  { file: fileAt("docs/services.md"), text: () => tableOf(BUILT_IN) },
];

const PLACE = /(<!-- services -->\n)[\s\S]*?(<!-- \/services -->)/;

/** Every page before and after the catalogue is written into it. */
export const servicePages = (): Promise<{ file: string; before: string; after: string }[]> =>
  Promise.all(
    PAGES.map(async ({ file, text }) => {
      const before = await Bun.file(file).text();
      return {
        file,
        before,
        after: before.replace(PLACE, (_, begin, end) => begin + text() + end),
      };
    }),
  );

function sentenceOf(services: readonly Service[]): string {
  const over = services.filter(({ shutDown }) => shutDown).length;
  const asked = services.length - over;
  return `${asked} services, such as video, file and code hosts, are asked in their own way, and ${over} are known to have shut down
([all of them](docs/services.md)).
`;
}

const tableOf = (services: readonly Service[]) => `| id | name | hosts | how it is asked | facts |
|---|---|---|---|---|
${services.map(rowOf).join("\n")}
`;

const rowOf = ({
  id,
  name,
  hosts,
  kinds = [],
  confidence,
  canary,
  shutDown,
  shortens,
}: Service) => {
  const how = shutDown
    ? "has shut down"
    : shortens
      ? "what it leads to"
      : [...new Set(kinds.map(howOf))].join("; ") || "page";
  const facts = [confidence ?? "", canary ? "known-good link" : ""].filter(Boolean).join(", ");
  return `| \`${id}\` | ${name} | ${someOf(hosts.flatMap(placesOf))} | ${how} | ${facts} |`;
};

const HOSTS_SHOWN = 4;

/** Some services change their names faster than anyone reads. */
function someOf(hosts: string[]): string {
  const more = hosts.length - HOSTS_SHOWN;
  const shown = hosts.slice(0, HOSTS_SHOWN).join(", ");
  return more > 0 ? `${shown} and ${more} more` : shown;
}

function howOf(kind: Kind): string {
  const asks = asksOf(kind);
  const special = asks.map(askOf).join(", ");
  const hasRules = kind.page !== undefined && kind.page !== "never";
  if (special === "") return `${kind.kind}: page${hasRules ? " with rules" : ""}`;
  return `${kind.kind}: ${special}${kind.page === "never" ? "" : ", else page"}`;
}

function askOf({ url, family, batch, form, json }: Ask): string {
  const host = /^https?:\/\/([^/?]+)/.exec(url)?.[1]?.replace(/^\{.*\}$/, "its host");
  const method = form || json !== undefined ? "POST " : "";
  const protocol = family === "oembed" ? "oEmbed " : "";
  return `${protocol}${method}${host}${batch ? ` (${batch.most} at once)` : ""}`;
}

if (import.meta.main) {
  for (const { file, after } of await servicePages()) await Bun.write(file, after);
}
