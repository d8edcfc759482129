import { describe, expect, test } from "bun:test";
import { type Case, seenOf } from "../../../tests/checker/seen.ts";
import { notice } from "../../../tests/checker/signals/wall-pages.ts";
import { agree } from "../../../tests/each-row.ts";
import { judge } from "../verdict.ts";

describe("a check that met a wall", () => {
  const HOURS = 3_600_000;
  const findingOn = async (given: Case) => {
    const finding = judge(await seenOf(given));
    if ("needs" in finding) throw new Error("A wall needs no more facts.");
    return finding;
  };

  test("does not try it again at once, and leaves it alone for six hours", async () => {
    const refused = await findingOn({ status: 403, html: notice("Are you human?") });

    expect(refused).toMatchObject({ retries: [], restMs: 6 * HOURS });
  });

  test("that is only a refusal may spare a browser", async () => {
    const refused = await findingOn({ status: 403, html: notice("Access denied") });

    expect(refused).toMatchObject({
      retries: [{ delayMs: 2000, style: { profile: "B" } }],
      restMs: 6 * HOURS,
    });
  });

  test("waits longer if the server asks for it", async () => {
    const headers = { "cf-mitigated": "challenge", "Retry-After": "36000" };

    expect(await findingOn({ status: 429, headers })).toMatchObject({ restMs: 10 * HOURS });
  });

  test("comes back as usual where no program is suspected", async () => {
    const html = notice("This website is not available in your country");

    expect(await findingOn({ status: 403, html })).toMatchObject({ retries: [], restMs: null });
  });

  test("shows what the page says, without what would garble the line", async () => {
    const { signals } = await findingOn({
      status: 403,
      html: notice(`Access denied \u202e${"x".repeat(400)}`),
    });

    expect(signals[0]?.text).toStartWith(
      "The server rejects the request with a page for suspected automated requests. It says “Access denied x",
    );
    expect(signals[0]?.text.length).toBeLessThan(180);
    expect(signals[0]?.text).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  });

  test("is made again when a page about maintenance names a time soon enough", () =>
    agree(
      ["Under maintenance", "Scheduled maintenance", "All services are temporarily offline"].map(
        (title) => ({
          story: title,
          expected: { reason: "maintenance", delaysMs: [20_000], restMs: 20_000 },
          async seen() {
            const headers = { "Retry-After": "20" };
            const finding = await findingOn({ status: 503, headers, html: notice(title) });
            const { reason, retries, restMs } = finding;
            return { reason, delaysMs: retries.map(({ delayMs }) => delayMs), restMs };
          },
        }),
      ),
    ));
});
