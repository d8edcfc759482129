import { afterAll, expect, test } from "bun:test";
import { eq, notExists } from "drizzle-orm";
import { badPathIds } from "../../tests/bad-values.ts";
import { eachRow } from "../../tests/each-row.ts";
import { type Asker, onServer, type Parsed, type TestServer } from "../../tests/harness.ts";
import { checkDueLinks } from "../../tests/rounds.ts";
import { addLink } from "../../tests/rows.ts";
import { type Site, startSite } from "../../tests/site.ts";
import { linkResponses, links } from "../ground/db/tables.ts";

/** Longer than from one daily check to the next. */
const LATER_MS = 100_000_000;
const PARAGRAPH = "There is a lot to say about this. ";

type Page = { shows(status: number, html: string, headers?: Record<string, string>): void };

const sites: Site[] = [];
afterAll(() => Promise.all(sites.map((site) => site.stop())));

onServer("GET /links/{id}/raw", (server) => {
  /** A link to a page on a site of its own, which is honest about all other pages. */
  async function newPage(me: Asker): Promise<Page & { link: string }> {
    let shown = () => new Response(null, { status: 404 });
    const site = startSite({ "/a": () => shown() });
    sites.push(site);
    const link = await addLink(me, { url: `${site.url}/a` });
    return {
      link,
      shows(status, html, headers = {}) {
        const init = { status, headers: { "content-type": "text/html", ...headers } };
        shown = () => new Response(html, init);
      },
    };
  }

  async function check({ deps, clock, check }: TestServer) {
    clock.moveBy(LATER_MS);
    await checkDueLinks({ ...deps, check });
  }

  const raw = async (me: Asker, link: string): Promise<Parsed> =>
    (await me.get(`/api/v1/links/${link}/raw`)).body.data;

  test("shows a dead page next to the one that was alive", async () => {
    const me = await server().account();
    const { link, shows } = await newPage(me);
    const html = `<title>Our guide</title><h1>Our &amp; your guide</h1><script>no()</script><h2>First</h2><p>${PARAGRAPH.repeat(200)}`;
    shows(200, html, { "x-powered-by": "Express" });
    await check(server());
    shows(404, "<title>Not found</title><p>Nothing here.", { "x-powered-by": "Express" });
    await check(server());

    const { alive, dead } = await raw(me, link);

    expect(Date.parse(dead.checked_at) - Date.parse(alive.checked_at)).toBe(LATER_MS);
    expect(alive).toMatchObject({
      reason: "ok",
      message: "The server returned 200.",
      status_code: 200,
      final_url: expect.stringContaining("http://127.0.0.1:"),
      title: "Our guide",
      words: 1605,
      text: html.slice(0, 4096),
      truncated: true,
      headings: ["Our & your guide", "First"],
      visible_text: `Our & your guide First ${PARAGRAPH.repeat(200)}`.slice(0, 4096),
    });
    expect(dead).toMatchObject({
      reason: "http_404",
      status_code: 404,
      title: "Not found",
      words: 2,
      text: "<title>Not found</title><p>Nothing here.",
      truncated: false,
      headings: [],
      visible_text: "Nothing here.",
    });
    expect(dead.headers).toContainEqual({ name: "x-powered-by", value: "Express" });
  });

  test("has no value of a header that may be a secret", async () => {
    const me = await server().account();
    const { link, shows } = await newPage(me);
    const secrets = {
      "set-cookie": "sid=s3cret",
      "x-auth-token": "s3cret",
      "x-csrf": "s3cret",
      "x-api-key": "s3cret",
      "www-authenticate": "Bearer s3cret",
      link: "<https://example.org/?token=s3cret>; rel=next",
    };
    shows(200, "<p>Hello", secrets);
    await check(server());

    const { alive } = await raw(me, link);

    expect(JSON.stringify(alive)).not.toContain("s3cret");
    for (const name of Object.keys(secrets))
      expect(alive.headers).toContainEqual({ name, value: null });
  });

  test("keeps the response that is known as long as a check finds the same", async () => {
    const me = await server().account();
    const { link, shows } = await newPage(me);
    shows(200, "<title>Page (1)</title><p>First");
    await check(server());
    const { alive: first } = await raw(me, link);
    shows(200, "<title>Page (2)</title><p>Second");
    await check(server());
    const { alive: same } = await raw(me, link);
    shows(200, "<title>New page</title><p>Third");
    await check(server());
    const { alive: changed, dead } = await raw(me, link);

    expect(same).toEqual(first);
    expect(changed).toMatchObject({ title: "New page", text: expect.stringContaining("Third") });
    expect(dead).toBeNull();
  });

  test("shows the page of a link that dies because it failed the same way for days", async () => {
    const me = await server().account();
    const { link, shows } = await newPage(me);
    shows(503, "<title>Out of order</title><p>Come back later.");
    await check(server());
    const before = await raw(me, link);
    for (let day = 0; day < 9; day++) await check(server());
    const { dead, alive } = await raw(me, link);

    expect(before).toEqual({ dead: null, alive: null });
    expect(dead).toMatchObject({ reason: "persistent_failure", title: "Out of order" });
    expect(alive).toBeNull();
  });

  test("has nothing for a link that was never checked, or whose server never responded", async () => {
    const me = await server().account();
    const silent = await addLink(me, { url: "http://missing.invalid/" });
    await check(server());

    expect(await raw(me, silent)).toEqual({ dead: null, alive: null });
    expect(await raw(me, (await newPage(me)).link)).toEqual({ dead: null, alive: null });
  });

  test("goes with its link", async () => {
    const me = await server().account();
    const { link, shows } = await newPage(me);
    shows(200, "<p>Hello");
    await check(server());
    const { store } = server().deps;
    const orphans = notExists(store.select().from(links).where(eq(links.no, linkResponses.linkNo)));
    expect((await raw(me, link)).alive).not.toBeNull();

    await me.delete(`/api/v1/links/${link}`);

    expect(await store.$count(linkResponses, orphans)).toBe(0);
    expect((await me.get(`/api/v1/links/${link}/raw`)).status).toBe(404);
  });

  eachRow(badPathIds)("finds nothing for what is not an ID", async (id) => {
    const me = await server().account();

    expect((await me.get(`/api/v1/links/${id}/raw`)).status).toBe(404);
  });

  test("of a link of another account is forbidden", async () => {
    const me = await server().account();
    const foreign = await addLink(await server().account());

    expect((await me.get(`/api/v1/links/${foreign}/raw`)).status).toBe(403);
  });
});
