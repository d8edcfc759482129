import { describe, expect, test } from "bun:test";
import { Elysia } from "elysia";
import type { Access } from "./caller.ts";
import { routeTable } from "./routing.ts";

const tableOf = (path: string, access?: Access) =>
  routeTable([{ method: "GET", path, hooks: access ? { detail: { access } } : {} }]);

describe("Each route states who may call it", () => {
  test("or the app does not start", () => {
    const { routes } = new Elysia().get("/api/v1/links", () => "");

    expect(() => routeTable(routes)).toThrow(
      "GET /api/v1/links must state in detail.access who may call it.",
    );
  });

  test("or its description does not compile", () => {
    // @ts-expect-error: `access` is missing
    const { routes } = new Elysia().get("/", () => "", { detail: { summary: "List links" } });

    expect(() => routeTable(routes)).toThrow("must state");
  });

  test("in terms that are checked where it is", () => {
    for (const access of ["anyone", "signed-in", "owner", "administrator"] as const)
      expect(() => tableOf("/api/v1/links", access)).toThrow("which is not checked there");
    expect(() => tableOf("/health", "read")).toThrow("which is not checked there");
    expect(tableOf("/dashboard/api/people", "owner").find("GET", "/dashboard/api/people")).toEqual(
      expect.objectContaining({ access: "owner" }),
    );
  });

  test("itself, or all routes of its instance do", () => {
    const { routes } = new Elysia({ prefix: "/dashboard/api", detail: { access: "owner" } })
      .get("/a", () => "")
      .get("/b", () => "", { detail: { access: "read" } });

    expect(routeTable(routes).find("HEAD", "/dashboard/api/a")?.access).toBe("owner");
    expect(routeTable(routes).find("GET", "/dashboard/api/b")?.access).toBe("read");
  });
});
