import { expect, test } from "bun:test";
import { ALIVE, checkAll, GONE } from "../../../tests/batches/playing.ts";
import { onDashboard } from "../../../tests/browser.ts";
import { saw } from "../../../tests/checker/ended.ts";
import { setLink } from "../../../tests/rows.ts";
import { add } from "../../../tests/web/adding.ts";
import { askerOf } from "../../../tests/web/looking.ts";

const UNCLEAR = saw("http_403", { statusCode: 403, responseTimeMs: 9 });
const STATES = ["Alive", "Dead", "Unknown", "Checking", "Waiting"];

onDashboard("The marks of states", (dashboard) => {
  /** Someone in front of one link in each state. */
  async function withAllStates() {
    const { server, user } = dashboard();
    const { page, accountId } = await user({ width: 1440 });
    const urls = ["alive", "dead", "unknown", "checking"].map(
      (name) => `https://example.org/${name}`,
    );
    await add(server, accountId, urls);
    await checkAll(server, (url) =>
      url.endsWith("/dead") ? GONE : url.endsWith("/unknown") ? UNCLEAR : ALIVE,
    );
    await add(server, accountId, ["https://example.org/waiting"]);
    const me = await askerOf(server, accountId);
    const { body } = await me.get("/api/v1/links?search=/checking");
    await setLink(server, body.data.items[0].id, { checkingUntil: server.clock.now() + 600_000 });
    await page.goto("/links");
    await page.locator(".rows .strip").nth(3).waitFor();
    return page;
  }

  test("differ in shape and name, and have the colors that the system forces, selected or not", async () => {
    const page = await withAllStates();

    const marks = await page
      .locator(".rows .state")
      .evaluateAll((all) =>
        all.map((each) => [each.textContent, each.querySelector("svg")?.innerHTML]),
      );

    expect(marks.map(([name]) => name).sort()).toEqual(STATES.toSorted());
    expect(new Set(marks.map(([, shape]) => shape)).size).toBe(STATES.length);
    const traces = page.getByRole("img", { name: "Failed at: Response" });
    const failed = await traces.evaluateAll((all) =>
      all.map((each) => [...each.children].filter((part) => part.tagName === "path").length),
    );
    expect(failed).toEqual([1, 1]);

    await page.emulateMedia({ forcedColors: "active" });
    const system = await page.evaluate(systemColors);

    const seen = await page.evaluate(paintsOf, MARKS);
    expect(seen).toEqual(Object.fromEntries(Object.keys(MARKS).map((mark) => [mark, system.text])));
    const cross = await page.evaluate(paintsOf, CROSS);
    expect(Object.values(cross)).toEqual([system.ground]);
    await page.getByRole("checkbox", { name: "Select https://example.org/dead" }).click();
    const row = page.locator(".row.sel");
    const paints = await row.evaluate((each) => ({
      ground: getComputedStyle(each).backgroundColor,
      words: getComputedStyle(each.querySelector(".url")!).color,
      mark: getComputedStyle(each.querySelector(".s-dead circle")!).fill,
      stage: getComputedStyle(each.querySelector(".trace .no")!).stroke,
    }));

    const { selection, onSelection } = system;
    expect(paints).toEqual({
      ground: selection,
      words: onSelection,
      mark: onSelection,
      stage: onSelection,
    });
  });
});

const CROSS: typeof MARKS = { ".s-dead path": "stroke" };

/** What each part of a mark is painted with. */
const MARKS: Record<string, "fill" | "stroke"> = {
  ".s-alive circle": "fill",
  ".s-dead circle": "fill",
  ".s-unknown path": "stroke",
  ".s-checking circle": "stroke",
  ".s-waiting circle": "stroke",
  ".trace .ok": "fill",
  ".trace .off": "fill",
  ".trace .no": "stroke",
  ".trace .may": "stroke",
  ".strip .d-alive": "fill",
  ".strip .d-dead": "fill",
  ".strip .d-unknown": "fill",
};

const paintsOf = (parts: typeof MARKS) =>
  Object.fromEntries(
    Object.entries(parts).map(([selector, paint]) => {
      const part = document.querySelector(`.rows ${selector}`);
      return [selector, part ? getComputedStyle(part)[paint] : "not there"];
    }),
  );

const systemColors = () => {
  const probe = document.body.appendChild(document.createElement("i"));
  const colorOf = (name: string) => {
    probe.style.color = name;
    return getComputedStyle(probe).color;
  };
  return {
    text: colorOf("CanvasText"),
    ground: colorOf("Canvas"),
    selection: colorOf("Highlight"),
    onSelection: colorOf("HighlightText"),
  };
};
