import { expect } from "bun:test";
import { callerOf, lineOf, rowsIn } from "../../../tests/exports/read-csv.ts";
import { onServer } from "../../../tests/harness.ts";
import { addCheck, addChecks, addLink } from "../../../tests/rows.ts";
import { exportedHistory } from "./export-rows.ts";

const PATH = "/api/v1/history/export";
const HEAD = lineOf(
  ...[
    "id",
    "checked_at",
    "url",
    "link_id",
    "status",
    "previous_status",
    "status_changed",
    "reason",
  ],
  ...["message", "status_code", "response_time_ms", "final_url", "redirect_count", "trigger"],
);

onServer("GET /history/export", (server, { test, testOnBoth }) => {
  test("is a file to be saved, with all that a check tells", async () => {
    const me = await server().account();
    const url = "https://example.org/page";
    const link = await addLink(me, { url });
    const check = await addCheck(server(), me, link, {
      status: "dead",
      previousStatus: "active",
      statusChanged: true,
      statusCode: 410,
      reason: "http_410",
      responseTimeMs: 9,
      finalUrl: url,
      trigger: "manual",
      redirectCount: 2,
    });

    const { status, headers, body } = await me.get(PATH);

    const moment = new Date(server().clock.now()).toISOString();
    expect(status).toBe(200);
    expect(headers.get("content-type")).toBe("text/csv; charset=utf-8; header=present");
    expect(headers.get("content-disposition")).toBe(
      `attachment; filename="history-${moment.slice(0, 10)}.csv"`,
    );
    expect(body).toBe(
      HEAD +
        lineOf(
          ...[check, moment, url, link, "dead", "active", "true", "http_410"],
          ...["The server returned 410: the page is gone for good.", 410, 9, url, 2, "manual"],
        ),
    );
  });

  testOnBoth(
    "has every one of 2,500 checks once, newest first, many of them in one moment",
    async () => {
      const me = await server().account();
      const links = await Promise.all(Array.from({ length: 25 }, () => addLink(me)));
      const start = server().clock.now();
      const rows = links.flatMap((linkId) =>
        Array.from({ length: 100 }, (_, i) => ({ linkId, checkedAt: start + i * 7 })),
      );
      await addChecks(server(), rows);

      const exported = rowsIn(await me.get(PATH));

      const moments = exported.map(({ checked_at }) => checked_at);
      expect(new Set(exported.map(({ id }) => id)).size).toBe(2500);
      expect(moments).toEqual([...moments].sort().reverse());
    },
  );

  testOnBoth("finds the few that fit, however far apart they are", async () => {
    const me = await server().account();
    const links = [await addLink(me), await addLink(me)];
    const start = server().clock.now();
    const dead = [0, 1, 2, 29, 30, 59];
    const rows = Array.from({ length: 60 }, (_, i) => ({
      linkId: links[i % 2]!,
      // Two links share each moment.
      checkedAt: start - Math.floor(i / 2),
      ...(dead.includes(i) && { status: "dead" as const }),
    }));
    await addChecks(server(), rows);

    const whole = rowsIn(await me.get(`${PATH}?status=dead`)).map(({ id }) => id);
    expect(whole).toHaveLength(dead.length);
    for (const walkedAtOnce of [1, 7, 30, 60, 100]) {
      const size = { rowsAtOnce: 2, walkedAtOnce };
      const query = { status: "dead" } as const;
      const steps = await Array.fromAsync(
        exportedHistory(server().deps, callerOf(me), query, size),
      );
      expect(steps.flat().map(({ id }) => id)).toEqual(whole as string[]);
    }
  });

  test("is narrowed by link, status, change and time", async () => {
    const me = await server().account();
    const [link, other] = [await addLink(me), await addLink(me)];
    const day = Date.parse("2029-12-01");
    const change = { status: "dead", previousStatus: "active", statusChanged: true } as const;
    await addChecks(server(), [
      { linkId: link, checkedAt: day },
      { linkId: link, checkedAt: day + 1000, ...change },
      { linkId: other, checkedAt: day + 86_400_000, ...change, statusChanged: false },
    ]);

    const found = async (query: string) =>
      rowsIn(await me.get(`${PATH}?${query}`)).map(
        ({ checked_at }) => Date.parse(checked_at!) - day,
      );

    expect(await found(`link_id=${link}`)).toEqual([1000, 0]);
    expect(await found("status=dead")).toEqual([86_400_000, 1000]);
    expect(await found("changed=true")).toEqual([1000]);
    expect(await found("changed=false")).toEqual([86_400_000, 0]);
    expect(await found("end_date=2029-12-01")).toEqual([1000, 0]);
    expect(await found("start_date=2029-12-02")).toEqual([86_400_000]);
    expect(await found(`link_id=${other}&changed=true`)).toEqual([]);
  });

  test("holds nothing of a stranger's", async () => {
    const me = await server().account();
    const stranger = await server().account();
    const theirs = await addLink(stranger);
    await addCheck(server(), stranger, theirs);

    expect((await me.get(PATH)).body).toBe(HEAD);
    expect((await me.get(`${PATH}?link_id=${theirs}`)).body).toBe(HEAD);
  });
});
