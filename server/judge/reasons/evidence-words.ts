/** The parts of a check's evidence that are put into words. */
type Seen = {
  attempts: {
    status: number | null;
    elapsed_ms: number;
    address: string | null;
    detail: string | null;
  }[];
  redirects: unknown[];
  final_url: string | null;
  signals: { text: string }[];
  probes: SeenProbe[];
  server?: string | null;
  excerpt?: string | null;
};

type SeenProbe = { asked: string; status: number | null };

/** Other addresses that were requested to judge a page. */
const PLACES: Record<string, string> = {
  sibling: "A random URL next to it",
  root: "A random URL of the site",
  home: "The home page",
  control: "A page that the site links to",
  sitemap: "The sitemap",
  subdomain: "A random name below the domain",
  service: "The service",
  canary: "An old link of the service",
};

export const placeOf = ({ asked }: Pick<SeenProbe, "asked">) => PLACES[asked] ?? "Another URL";

export const isOfService = ({ asked }: Pick<SeenProbe, "asked">) =>
  asked === "service" || asked === "canary";

/** Returns what the home page says about the site of a dead page; "" if it was not requested. */
export function meaningOf(probes: SeenProbe[]): string {
  const home = probes.find(({ asked }) => asked === "home");
  if (!home) return "";
  const isUp = home.status !== null && home.status >= 200 && home.status < 300;
  return isUp
    ? "The site is up, this page is missing."
    : "The problem is not limited to this page.";
}

/** Says that a dead link was requested more than once. */
export function agreement(status: string, evidence: Pick<Seen, "attempts"> | null): string {
  const count = evidence?.attempts.length ?? 0;
  return status === "dead" && count > 1 ? `Confirmed by ${count} attempts.` : "";
}

const MOST_SENTENCES = 8;
const LONGEST_SENTENCE = 300;

/** Returns what a check saw in a few sentences. They may quote the page, and so contain anything. */
export function evidenceSentences(evidence: Seen, status: string): string[] {
  const { attempts, signals, probes, excerpt } = evidence;
  const sentences = [
    ...attempts.slice(0, 1).map((first) => responseSentence(first, evidence)),
    redirectSentence(evidence),
    ...signals.map(({ text }) => text),
    excerpt ? `The page says: “${excerpt}”` : "",
    probes.map(probeSentence).join(" "),
    status === "dead" && !probes.every(isOfService) ? meaningOf(probes) : "",
    agreement(status, evidence),
  ];
  return sentences
    .filter((each) => each !== "")
    .slice(0, MOST_SENTENCES)
    .map((each) => each.slice(0, LONGEST_SENTENCE).toWellFormed());
}

function responseSentence(first: Seen["attempts"][number], { server }: Seen): string {
  const { status, address, detail } = first;
  const after = `after ${first.elapsed_ms.toLocaleString("en")} ms`;
  if (status !== null) return `Response: ${status}${server ? ` from ${server}` : ""} ${after}.`;
  return `No response${address ? ` from ${address}` : ""} ${after}${detail ? ` (${detail})` : ""}.`;
}

function redirectSentence({ redirects, final_url: end }: Seen): string {
  if (redirects.length === 0 || end === null) return "";
  return `${redirects.length === 1 ? "One redirect" : `${redirects.length} redirects`}, to ${end}`;
}

const probeSentence = (probe: SeenProbe) =>
  probe.status === null
    ? `${placeOf(probe)} did not respond.`
    : `${placeOf(probe)} returns ${probe.status}.`;
