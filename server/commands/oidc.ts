import type { Command } from "commander";
import { countIdentities, moveIdentities } from "../accounts/oidc/identities.ts";
import { checkProvider, createProvider } from "../accounts/oidc/provider.ts";
import { type Oidc, oidcOf } from "../ground/config/oidc.ts";
import { readIssuer } from "../ground/config/settings.ts";
import { systemClock } from "../ground/lib/clock.ts";
import { SettingProblem } from "../ground/lib/errors.ts";
import { refuseFullDisk } from "../ops/upkeep/disk.ts";
import { type Cli, UsageError, withDeps } from "./cli.ts";
import { plain } from "./io.ts";

type Move = { from: string; to: string; dryRun?: true };

export function addOidc(program: Command, cli: Cli) {
  const oidc = program.command("oidc").description("single sign-on of the settings");
  oidc
    .command("check")
    .description(
      "ask the provider for its document and its keys, and try the secret; exit 1 if that fails",
    )
    .action(() => check(cli));
  oidc
    .command("move")
    .description("after the issuer changed: keep everyone linked who has kept their subject")
    .requiredOption("--from <issuer>", "the issuer until now")
    .requiredOption("--to <issuer>", "the new issuer")
    .option("--dry-run", "only say how many people that concerns")
    .action((options: Move) => move(cli, options));
}

async function check(cli: Cli) {
  const config = await cli.config();
  const settings = requireOidc(oidcOf(config));
  cli.print(`Issuer: ${settings.issuer}`);
  cli.print(`Client: ${settings.clientId}${settings.clientSecret === null ? " (public)" : ""}`);
  cli.print(`Redirect URI to register: ${settings.redirectUri}`);
  const { promises, problem, detail } = await checkProvider(
    createProvider({ config, clock: systemClock }, settings),
  );
  if (!promises) throw new Error(plain(`${settings.name} cannot be used (${problem}): ${detail}`));
  const yesNo = (is: boolean) => (is ? "yes" : "no");
  cli.print(`Client ID and secret: ${promises.client ? "accepted" : "the provider did not say"}`);
  cli.print(`Keys: ${promises.keys}; algorithms: ${plain(promises.algorithms.join(", "))}`);
  cli.print(`PKCE (S256): ${yesNo(promises.pkce)}`);
  cli.print(`Issuer in its response (RFC 9207): ${yesNo(promises.iss)}`);
  cli.print(`Sign-out page: ${yesNo(promises.logout)}`);
}

export function requireOidc(oidc: Oidc | null): Oidc {
  if (oidc) return oidc;
  throw new Error("Single sign-on is off. Set STILLUP_OIDC_ISSUER and STILLUP_OIDC_CLIENT_ID.");
}

async function move(cli: Cli, { from, to, dryRun }: Move) {
  for (const [name, value] of Object.entries({ "--from": from, "--to": to })) {
    try {
      readIssuer(value);
    } catch (error) {
      if (error instanceof SettingProblem) throw new UsageError(`${name} ${error.message}`);
      throw error;
    }
  }
  await withDeps(cli, async (deps) => {
    if (dryRun) {
      cli.print(`Would move ${await countIdentities(deps, from)} of ${from}.`);
      return;
    }
    await refuseFullDisk(deps.config);
    cli.print(`Moved ${await moveIdentities(deps, { from, to })} to ${to}.`);
  });
}
