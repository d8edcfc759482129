import type { HostSettingRow } from "../ground/db/tables.ts";
import { SealedUnderOtherKey } from "../ground/lib/secret-box.ts";
import type { HostSetting } from "../judge/probe/host-setting.ts";
import type { Deps } from "../work/deps.ts";

/** The sealed part of a setting. */
export type Secrets = Pick<HostSetting, "headers" | "auth">;

type Box = Pick<Deps, "secrets">;

export const sealSecrets = ({ secrets }: Box, content: Secrets): string =>
  secrets.seal(JSON.stringify(content));

/** Returns what was sealed; null if it was sealed with another key. */
export function openSecrets(
  { secrets }: Box,
  { sealed }: Pick<HostSettingRow, "sealed">,
): Secrets | null {
  try {
    return JSON.parse(secrets.open(sealed)) as Secrets;
  } catch (error) {
    if (error instanceof SealedUnderOtherKey) return null;
    throw error;
  }
}
