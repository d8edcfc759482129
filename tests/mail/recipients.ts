import { CONTENTS } from "../../server/accounts/mail-contents.ts";
import { mailAddresses } from "../../server/ground/db/tables.ts";
import { sendDue } from "../../server/mail/send.ts";
import type { Deps } from "../../server/work/deps.ts";
import type { Asker, TestServer } from "../harness.ts";

/** Records that the owner of the address has agreed to mail of the account. */
export async function agreeTo({ deps }: TestServer, { accountId }: Asker, address: string) {
  const confirmedAt = deps.clock.now();
  await deps.store.insert(mailAddresses).values({ accountId, address, n: 0, confirmedAt });
}

/** Sends all mail to people that is due. */
export async function sendAll(deps: Deps): Promise<void> {
  while ((await sendDue(deps, CONTENTS)) === null);
}
