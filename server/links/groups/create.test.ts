import { expect, test } from "bun:test";
import { onServer, START } from "../../../tests/harness.ts";
import { takeNumbers } from "../../ground/db/queries.ts";
import { groups } from "../../ground/db/tables.ts";
import { newId } from "../../ground/lib/ids.ts";
import { chunksOf } from "../../ground/lib/steps.ts";

onServer("POST /groups", (server) => {
  test("a new group is empty, grey, and returned with its location", async () => {
    const me = await server().account();

    const { status, headers, body } = await me.post("/api/v1/groups", { name: "  Docs " });

    expect(status).toBe(201);
    expect(headers.get("location")).toBe(`/api/v1/groups/${body.data.id}`);
    expect(body).toEqual({
      data: {
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        name: "Docs",
        description: null,
        color: "#6B7280",
        link_count: 0,
        counts: { active: 0, dead: 0, unknown: 0 },
        created_at: START,
        updated_at: START,
        check_schedule: null,
        muted_until: null,
        muted_by: null,
      },
    });
  });

  test("takes a description and a colour, which it keeps in upper case", async () => {
    const me = await server().account();

    const group = { name: "a", description: " two\nlines ", color: "#a1b2c3" };
    const { body } = await me.post("/api/v1/groups", group);

    expect(body.data).toMatchObject({ description: "two\nlines", color: "#A1B2C3" });
  });

  test("two groups may have one name", async () => {
    const me = await server().account();

    const first = await me.post("/api/v1/groups", { name: "Docs" });
    const second = await me.post("/api/v1/groups", { name: "Docs" });

    expect([first.status, second.status]).toEqual([201, 201]);
    expect(first.body.data.id).not.toBe(second.body.data.id);
  });

  test("counts characters, not bytes: 100 emoji are a name and 500 a description", async () => {
    const me = await server().account();

    const group = { name: "😀".repeat(100), description: "😀".repeat(500) };
    const { status, body } = await me.post("/api/v1/groups", group);

    expect(status).toBe(201);
    expect(body.data).toMatchObject(group);
  });

  test("an empty description is none", async () => {
    const me = await server().account();

    for (const description of ["", "  ", null]) {
      const { body } = await me.post("/api/v1/groups", { name: "a", description });
      expect(body.data.description).toBeNull();
    }
  });

  test("needs a name", async () => {
    const me = await server().account();

    const { body } = await me.post("/api/v1/groups", {});

    expect(body.error.details.fields).toEqual({ name: ["is required"] });
  });

  test("tells every problem at once", async () => {
    const me = await server().account();

    const { body } = await me.post("/api/v1/groups", { description: 1, color: null });

    expect(body.error.details.fields).toEqual({
      name: ["is required"],
      description: ["must be a text"],
      color: ["must be a text"],
    });
  });

  test("an account can have five thousand groups, also when two are made at once", async () => {
    const me = await server().account();
    const { store, clock } = server().deps;
    const from = await store.transaction((tx) => takeNumbers(tx, 4999));
    const rows = Array.from({ length: 4999 }, (_, i) => ({
      id: newId(),
      accountId: me.accountId,
      name: `Group ${i}`,
      description: null,
      color: "#6B7280",
      createdAt: clock.now(),
      updatedAt: clock.now(),
      no: from + i,
    }));

    for (const some of chunksOf(500, rows)) await store.insert(groups).values(some);

    const made = await Promise.all(
      ["one", "other"].map((name) => me.post("/api/v1/groups", { name })),
    );

    expect(made.map(({ status }) => status).sort()).toEqual([201, 409]);
    const refused = made.find(({ status }) => status === 409)!;
    expect(refused.body.error).toMatchObject({
      message:
        "Your account can have 5000 groups; 5000 are used. Delete groups that you no longer need, or use tags.",
      details: { reason: "limit_reached", limit: 5000, used: 5000 },
    });
    const { id } = made.find(({ status }) => status === 201)!.body.data;
    expect((await me.patch(`/api/v1/groups/${id}`, { name: "renamed" })).status).toBe(200);
    await me.delete(`/api/v1/groups/${id}`);
    expect((await me.post("/api/v1/groups", { name: "again" })).status).toBe(201);
    const other = await server().account();
    expect((await other.post("/api/v1/groups", { name: "mine" })).status).toBe(201);
  });
});
