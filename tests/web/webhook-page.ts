import type { Locator, Page } from "playwright-core";
import { createKey } from "../../server/accounts/keys.ts";
import { operatorOf } from "../../server/accounts/users.ts";
import type { Asker, TestServer } from "../harness.ts";

/** Asks the API for the account of a user, as a program would. */
export async function askerOf({ deps, asker }: TestServer, accountId: string): Promise<Asker> {
  const caller = await operatorOf(deps, accountId);
  const { value } = await createKey(deps, caller, { name: "test" });
  return asker(value, caller);
}

/** The deliveries in the log whose row says this. */
export const deliveryRow = (page: Page, text: string): Locator =>
  page.locator(".rows.deliveries li").filter({ hasText: text });
