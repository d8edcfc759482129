import { expect } from "bun:test";
import { onServer } from "../../tests/harness.ts";
import {
  BEHIND_PROXY,
  createPasswordLink,
  newOwner,
  openBrowser,
} from "../../tests/session/browser.ts";
import { OPERATOR } from "../http/caller.ts";
import { inUnit } from "../work/unit.ts";
import { asToken, resetPassword } from "./users.ts";

const MINUTE = 60_000;
const NEXT = "another one, quite as long";

onServer(
  "a one-time link",
  (server, { test, testOnBoth }) => {
    test("sets the password once, signs in, and ends all other sessions", async () => {
      const { owner } = await newOwner(server());
      const [before, browser] = [openBrowser(server()), openBrowser(server())];
      await before.signIn(owner.email);
      const token = await createPasswordLink(server().deps, owner);

      const first = await browser.post("/password", { token, password: NEXT });
      const second = await openBrowser(server()).post("/password", { token, password: NEXT });

      expect(first.status).toBe(200);
      expect((await browser.get("/links")).status).toBe(200);
      expect((await before.get("/links")).status).toBe(401);
      expect(second.status).toBe(404);
      expect((await openBrowser(server()).signIn(owner.email)).status).toBe(401);
      expect((await openBrowser(server()).signIn(owner.email, NEXT)).status).toBe(200);
    });

    testOnBoth("works once even when it is followed ten times at once", async () => {
      const { owner } = await newOwner(server());
      const token = await createPasswordLink(server().deps, owner);

      const replies = await Promise.all(
        Array.from({ length: 10 }, () =>
          openBrowser(server()).post("/password", { token, password: NEXT }),
        ),
      );

      const statuses = replies.map(({ status }) => status).sort();
      expect(statuses).toEqual([200, ...Array(9).fill(404)]);
    });

    test("is worth nothing after half an hour", async () => {
      const { owner } = await newOwner(server());
      const token = await createPasswordLink(server().deps, owner);

      server().clock.moveBy(30 * MINUTE);

      const late = await openBrowser(server()).post("/password", { token, password: NEXT });
      expect(late.status).toBe(404);
    });

    test("is not used up by a password that will not do", async () => {
      const { owner } = await newOwner(server());
      const token = await createPasswordLink(server().deps, owner);
      const set = (password: string) =>
        openBrowser(server()).post("/password", { token, password });

      expect((await set("short")).body.error.details.fields).toEqual({
        password: ["must have at least 15 characters"],
      });
      expect((await set(NEXT)).status).toBe(200);
    });

    test("a reset ends all sessions at once, and voids the link before it", async () => {
      const { owner } = await newOwner(server());
      const browser = openBrowser(server());
      await browser.signIn(owner.email);
      const set = (token: string) =>
        openBrowser(server()).post("/password", { token, password: NEXT });
      const reset = () =>
        inUnit(server().deps, (unit) => resetPassword(unit, owner, OPERATOR, asToken));

      const old = await reset();
      const token = await reset();

      expect((await browser.get("/links")).status).toBe(401);
      expect((await set(old)).status).toBe(404);
      expect((await set(token)).status).toBe(200);
    });
  },
  BEHIND_PROXY,
);
