import { oidcOf } from "../ground/config/oidc.ts";
import type { FailedSignIns } from "../http/caller.ts";
import type { Deps } from "../work/deps.ts";
import { isSecure } from "./doors.ts";
import * as model from "./model.ts";
import { PROOF_MS } from "./sign-in.ts";

/** Where the account's live updates stand, so that a page misses none of those after its first data. */
export type LiveStates = { stateOf(accountId: string): Promise<string> };

/** What the dashboard is given about the installation, also before someone signs in. */
export function installationState({ config, mail }: Pick<Deps, "config" | "mail">) {
  const oidc = oidcOf(config);
  return {
    insecure: !isSecure(config),
    sends_mail: mail !== null,
    oidc: oidc && { name: oidc.name, only: oidc.only },
  };
}

/** What the state shows of the session. */
type Begun = { failed?: FailedSignIns | null | undefined; provedAt?: number | null };

/** Returns what the dashboard is given about a session that has begun. */
export const sessionStates =
  (deps: Pick<Deps, "config" | "mail">, { stateOf }: LiveStates) =>
  async (
    user: model.Shown,
    { failed, provedAt = null }: Begun = {},
  ): Promise<model.SessionState> => {
    const provedUntil = provedAt === null ? null : provedAt + PROOF_MS;
    const live = await stateOf(user.accountId);
    const around = { ...installationState(deps), live, failed, provedUntil };
    return model.toSignedIn(user, around);
  };
