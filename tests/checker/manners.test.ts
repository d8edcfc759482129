import { expect, test } from "bun:test";
import { createManners, withManners } from "../../server/checker/manners.ts";
import { movableClock } from "../clock.ts";

/** A visit that lasts until it is ended, and notes when it began. */
function visits(options: { hostConcurrency?: number; hostGapMs?: number } = {}) {
  const clock = movableClock(0);
  const manners = createManners({ clock, hostConcurrency: 2, hostGapMs: 0, ...options });
  const began: string[] = [];
  const ends = new Map<string, () => void>();
  const visit = (name: string, host: string) =>
    withManners(manners, host, () => {
      began.push(name);
      return new Promise<void>((resolve) => ends.set(name, resolve));
    });
  const end = async (name: string) => {
    ends.get(name)?.();
    await Bun.sleep(0);
  };
  return { clock, began, visit, end };
}

test("a site is asked two things at once, the rest wait in line", async () => {
  const { began, visit, end } = visits();
  for (const name of ["a", "b", "c", "d"]) void visit(name, "www.site.test");
  await Bun.sleep(0);

  expect(began).toEqual(["a", "b"]);
  await end("b");
  expect(began).toEqual(["a", "b", "c"]);
  await end("a");
  expect(began).toEqual(["a", "b", "c", "d"]);
});

test("the names of one owner share a line, other sites and addresses have their own", async () => {
  const { began, visit } = visits({ hostConcurrency: 1 });
  for (const host of [
    "a.site.test",
    "b.site.test",
    "other.test",
    "127.0.0.1",
    "127.0.0.2",
    "x.co.uk",
    "y.co.uk",
  ]) {
    void visit(host, host);
  }
  await Bun.sleep(0);

  expect(began).toEqual([
    "a.site.test",
    "other.test",
    "127.0.0.1",
    "127.0.0.2",
    "x.co.uk",
    "y.co.uk",
  ]);
});

test("two requests to a site do not start in the same quarter of a second", async () => {
  const { clock, began, visit } = visits({ hostGapMs: 250 });
  void visit("a", "site.test");
  void visit("b", "site.test");
  await Bun.sleep(0);

  expect(began).toEqual(["a"]);
  clock.moveBy(249);
  await Bun.sleep(0);
  expect(began).toEqual(["a"]);
  clock.moveBy(1);
  await Bun.sleep(0);
  expect(began).toEqual(["a", "b"]);
});

test("a visit that fails makes room all the same", async () => {
  const manners = createManners({ clock: movableClock(0), hostConcurrency: 1, hostGapMs: 0 });

  await expect(
    withManners(manners, "site.test", () => Promise.reject(new Error("no"))),
  ).rejects.toThrow("no");

  expect(await withManners(manners, "site.test", async () => "in")).toBe("in");
});

test("sites that were left alone are forgotten", async () => {
  const clock = movableClock(0);
  const manners = createManners({ clock, hostConcurrency: 1, hostGapMs: 10 });

  for (let i = 0; i < 3000; i++) {
    await withManners(manners, `site-${i}.test`, async () => {});
    clock.moveBy(20);
  }

  expect(manners.sites.size).toBeLessThan(1001);
});
