import type { FailedSignIns } from "../api/caller.ts";
import type { Deps } from "../work/deps.ts";
import { isSecure } from "./doors.ts";
import * as model from "./model.ts";

/** Where the account's live updates stand, so that a page misses none of those after its first data. */
export type LiveStates = { stateOf(accountId: string): Promise<string> };

/** What the dashboard is given about the installation, also before someone signs in. */
export const installationState = ({ config, mail }: Pick<Deps, "config" | "mail">) => ({
  insecure: !isSecure(config),
  sends_mail: mail !== null,
});

/** Returns what the dashboard is given about a session that has begun. */
export const sessionStates =
  (deps: Pick<Deps, "config" | "mail">, { stateOf }: LiveStates) =>
  async (user: model.Shown, failed?: FailedSignIns | null): Promise<model.SessionState> => {
    const around = { ...installationState(deps), live: await stateOf(user.accountId), failed };
    return model.toSignedIn(user, around);
  };
