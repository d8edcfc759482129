import { expect, test } from "bun:test";
import { saw } from "../../../tests/checker/ended.ts";
import { onBothEngines, type Parsed } from "../../../tests/harness.ts";
import { sized } from "../../../tests/long.ts";
import { randomFrom } from "../../../tests/random.ts";
import { checkDueLinks } from "../../../tests/rounds.ts";
import { LINKS, sound } from "../../../tests/triage/playing.ts";

const HOUR = 3_600_000;
const SEED = 20_301;
const CHANGES = sized(60, 1000);
const SOUND_EVERY = sized(30, 250);
const NAMES = ["docs", "press", "legal", "blog", "ähre"];
const ENDS = ["ok", "http_404", "http_403", "domain_parked", "http_500"] as const;
type Reply = { status: number; body?: Parsed };
/** What a random change may meet. */
const USUAL = [200, 201, 204, 404, 409];

onBothEngines("whatever people do in whichever order", (server) => {
  test("the kept counts are those of the links", async () => {
    const me = await server().account();
    const random = randomFrom(SEED);
    const pick = <T>(of: readonly T[]): T => of[random(of.length)]!;
    const some = <T>(of: readonly T[]): T[] => of.filter(() => random(2) === 0);
    const { clock, deps } = server();
    // Later than checks at the same moment move the clock.
    const until = () => new Date(clock.now() + (200 + random(48)) * HOUR).toISOString();
    let made = 0;
    const fresh = () => `https://example.org/${made++}`;
    let links: string[] = [];
    let groups: string[] = [];
    const decisions = () =>
      pick([
        { handling: "acknowledged" },
        { handling: "open" },
        { handling: "muted", muted_until: until() },
        {},
      ]);
    const refresh = async () => {
      const [ofLinks, ofGroups] = [
        await me.get(`${LINKS}?per_page=100`),
        await me.get("/api/v1/groups"),
      ];
      links = ofLinks.body.data.items.map(({ id }: Parsed) => id);
      groups = ofGroups.body.data.items.map(({ id }: Parsed) => id);
    };
    const create = () =>
      me.post(`${LINKS}/batch`, {
        links: Array.from({ length: 1 + random(4) }, () => ({
          url: fresh(),
          tags: some(NAMES),
          group_id: pick([...groups, null]),
        })),
      });
    const deeds: (() => Promise<Reply>)[] = [
      create,
      create,
      () => me.post("/api/v1/groups", { name: `Group ${made++}` }),
      () => me.delete(`/api/v1/groups/${pick(groups)}`),
      () =>
        me.patch(`${LINKS}/${pick(links)}`, {
          ...decisions(),
          tags: some(NAMES),
          group_id: pick([...groups, null]),
          title: `Title ${random(9)}`,
        }),
      () => me.patch(`${LINKS}/${pick(links)}`, decisions()),
      () => me.post(`${LINKS}/${pick(links)}/override`, { note: "It works in a browser." }),
      () => me.delete(`${LINKS}/${pick(links)}/override`),
      () => me.post(`${LINKS}/${pick(links)}/url`, { url: fresh() }),
      () => me.delete(`${LINKS}/${pick(links)}`),
      () =>
        me.post(`${LINKS}/batch-change`, {
          filter: pick([{ status: "dead" }, { tag: pick(NAMES) }, { attention: true }]),
          change: { ...decisions(), add_tags: some(NAMES), remove_tags: [pick(NAMES)] },
        }),
      () =>
        me.post(`${LINKS}/upsert`, {
          links: Array.from({ length: 3 }, (_, i) => ({
            external_id: `p-${random(9)}-${i}`,
            url: fresh(),
            ...decisions(),
            tags: some(NAMES),
          })),
        }),
      () => me.patch(`/api/v1/tags/${pick(NAMES)}?merge=true`, { name: pick(NAMES) }),
      () => me.delete(`/api/v1/tags/${pick(NAMES)}`),
      async () => {
        clock.moveBy((1 + random(30)) * HOUR);
        await checkDueLinks({ ...deps, check: async () => saw(pick(ENDS)) });
        return { status: 200 };
      },
    ];
    await create();
    await me.post("/api/v1/groups", { name: "First" });

    const unusual: unknown[] = [];
    const isUsual = ({ status, body }: Reply) =>
      USUAL.includes(status) || body?.error.details.fields.group_id?.[0] === "no such group";
    for (let done = 0; done < CHANGES; ) {
      // The account's rate limit rolls.
      clock.moveBy(20_000);
      await refresh();
      // Several at once, of which the later may find that the earlier took away what they are about.
      const wanted = Array.from({ length: 1 + random(4) }, () => pick(deeds));
      const replies = await Promise.all(wanted.map((deed) => deed()));
      unusual.push(...replies.filter((reply) => !isUsual(reply)).map(({ body }) => body));
      if (links.length > 80) await me.post(`${LINKS}/batch-delete`, { link_ids: links.slice(40) });
      const before = done;
      done += wanted.length;
      if (Math.floor(done / SOUND_EVERY) > Math.floor(before / SOUND_EVERY)) await sound(server());
    }
    await sound(server());
    expect(unusual).toEqual([]);
  }, 600_000);
});
