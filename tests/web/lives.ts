import type { Conclusion } from "../../server/judge/probe/conclusion.ts";
import type { Reason } from "../../server/judge/reasons/reasons.ts";
import { createLinks } from "../../server/links/create.ts";
import { DAY, HOUR, saw } from "../checker/ended.ts";
import type { TestServer } from "../harness.ts";
import { checkDueLinks, deliverDue } from "../rounds.ts";
import { ownerOf } from "./actors.ts";

/** What the checks of a link see from now on. */
type Answer = Reason | Conclusion;

/** Links of an account whose answers a test decides, day after day. */
export async function livesIn({ deps, clock }: TestServer, accountId: string) {
  const caller = await ownerOf(deps, accountId);
  const answers = new Map<string, Conclusion>();
  const check = async ({ url }: { url: string }) => answers.get(url) ?? toConclusion("ok");

  return {
    caller,
    /** Adds links that are not checked yet. */
    add: (urls: string[], groupId: string | null = null) =>
      createLinks(
        deps,
        caller,
        urls.map((url) => ({ url, group_id: groupId, check_frequency: "daily" })),
      ),
    answer(urls: string[], answer: Answer) {
      for (const url of urls) answers.set(url, toConclusion(answer));
    },
    /** Checks what is due, and sends what is to be sent. */
    async check() {
      while ((await checkDueLinks({ ...deps, check })) > 0);
      await deliverDue(deps);
    },
    /** Lets days pass, each with a check of every link. */
    async live(days: number) {
      for (let day = 0; day < days; day++) {
        // Checks are spread, so the last ones are due some hours after a day.
        clock.moveBy(DAY + 4 * HOUR);
        await this.check();
      }
    },
  };
}

const CODES: Partial<Record<Reason, number>> = {
  ok: 200,
  http_404: 404,
  http_410: 410,
  http_403: 403,
};

const toConclusion = (answer: Answer): Conclusion =>
  typeof answer === "string"
    ? saw(answer, { statusCode: CODES[answer] ?? null, responseTimeMs: 120 })
    : answer;

/** URLs on one host. */
export const pagesOn = (host: string, count: number) =>
  Array.from({ length: count }, (_, n) => `https://${host}/page-${n + 1}`);
