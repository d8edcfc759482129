import { eq } from "drizzle-orm";
import { createSession } from "../../server/accounts/sessions.ts";
import { users } from "../../server/ground/db/tables.ts";
import type { TestServer } from "../harness.ts";
import { type Browser, newColleague, newOwner, openBrowser } from "../session/browser.ts";

/** A browser in which the user is signed in already. */
export async function enter(server: TestServer, userId: string): Promise<Browser> {
  const { store, clock } = server.deps;
  const token = await createSession(store, userId, clock.now());
  return openBrowser(server, `session=${token}`);
}

/** An account with one of each role, all signed in. The first owner of all is not an administrator either. */
export async function newTeam(server: TestServer) {
  const made = await newOwner(server);
  await makeAdministrator(server, made.owner.id, false);
  const fresh = { ...made, owner: { ...made.owner, isAdmin: false } };
  const editor = await newColleague(server, fresh, "editor");
  const viewer = await newColleague(server, fresh, "viewer");
  const browsers = {
    owner: await enter(server, fresh.owner.id),
    editor: await enter(server, editor.id),
    viewer: await enter(server, viewer.id),
  };
  return { ...fresh, editor, viewer, browsers };
}

export const makeAdministrator = ({ deps }: TestServer, userId: string, isAdmin = true) =>
  deps.store.update(users).set({ isAdmin }).where(eq(users.id, userId));
