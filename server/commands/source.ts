import { type Command, Option } from "commander";
import { readBody } from "../accounts/model.ts";
import { toIsoOrNull } from "../ground/lib/moments.ts";
import {
  FREQUENCIES,
  type Frequency,
  SOURCE_KINDS,
  type SourceKind,
} from "../ground/lib/vocabulary.ts";
import type { Caller } from "../http/caller.ts";
import { openGroupBook } from "../links/groups/groups.ts";
import { NewSource, type ShownSource, SourcePreviewBody, statusOf } from "../sources/model.ts";
import { previewSource } from "../sources/preview.ts";
import { isUnderWay } from "../sources/runs.ts";
import {
  cancelRun,
  createSource,
  deleteSource,
  listSources,
  requestRun,
  showSource,
} from "../sources/sources.ts";
import type { Deps } from "../work/deps.ts";
import { makeChange } from "../work/unit.ts";
import { callerFor, withEmail } from "./accounts.ts";
import { type Cli, UsageError, withDeps } from "./cli.ts";
import { tableOf } from "./io.ts";

const NOT_COMPLETE = 1;
const LOOK_MS = 500;

type OfAccount = { email?: string };

type Add = OfAccount & {
  kind?: SourceKind;
  name?: string;
  group?: string;
  frequency?: Frequency;
  schedule?: string;
  timeZone?: string;
  exclude?: string[];
  credentialEnv?: string;
  dryRun?: true;
};

export function addSource(program: Command, cli: Cli) {
  const source = program
    .command("source")
    .description("manage what links are found in, also while the server runs");
  const command = (name: string, about: string) =>
    withEmail(source.command(name).description(about));
  command("add", "add a site, sitemap, feed, list, repository or bookmark manager; prints its id")
    .argument("[url]", "its address; none for the kind push")
    .addOption(
      new Option("--kind <kind>", "what it is; recognized by default").choices(SOURCE_KINDS),
    )
    .option("--name <name>", "its name; its host by default")
    .option("--group <name>", "the group of its new links, which must exist")
    .addOption(new Option("--frequency <how often>", "of its new links").choices(FREQUENCIES))
    .option("--schedule <cron>", "when it is read, in five fields; daily by default")
    .option("--time-zone <zone>", "of the schedule; UTC by default")
    .option(
      "--exclude <pattern>",
      "leave out what matches; may be repeated",
      (pattern: string, all: string[] = []) => [...all, pattern],
    )
    .option("--credential-env <variable>", "the environment variable with its bearer token")
    .option("--dry-run", "only print what would be found")
    .action((url: string | undefined, options: Add) => addOne(cli, url, options));
  command("list", "list sources").action((options: OfAccount) => list(cli, options));
  command("show", "show one source with its latest run")
    .argument("<name>", "its name")
    .action((name: string, options: OfAccount) =>
      named(cli, options, name, async (_, __, shown) => print(cli, shown)),
    );
  command("run", "ask the server to read a source now")
    .argument("<name>", "its name")
    .option("--wait", "until the run has ended; exit code 1 unless it is complete")
    .option("--accept-shrink", "remove what is not found any more, even if that is much")
    .action((name: string, options: Run) => runOne(cli, name, options));
  command("cancel", "cancel the run that is under way")
    .argument("<name>", "its name")
    .action((name: string, options: OfAccount) =>
      named(cli, options, name, async (deps, caller, { id }) => {
        await makeChange(deps, caller, (unit) => cancelRun(unit, caller, id));
        cli.print("Run cancelled.");
      }),
    );
  command("remove", "delete a source")
    .argument("<name>", "its name")
    .addOption(
      new Option("--links <what>", "what becomes of the links that no other source has")
        .choices(["keep", "retire"])
        .default("keep"),
    )
    .action((name: string, options: OfAccount & { links: string }) =>
      named(cli, options, name, async (deps, caller, { id }) => {
        await makeChange(deps, caller, (unit) =>
          deleteSource(unit, caller, id, { retires: options.links === "retire" }),
        );
        cli.print("Source deleted.");
      }),
    );
}

async function addOne(cli: Cli, url: string | undefined, options: Add): Promise<void> {
  const { credentialEnv, dryRun } = options;
  const value = credentialEnv === undefined ? undefined : cli.env[credentialEnv];
  if (credentialEnv !== undefined && !value) {
    throw new UsageError(`--credential-env names ${credentialEnv}, which is not set.`);
  }
  await withDeps(cli, async (deps) => {
    const caller = await callerFor(deps, options.email);
    const given = {
      url,
      kind: options.kind,
      schedule: options.schedule,
      time_zone: options.timeZone,
      check_frequency: options.frequency,
      group_id: await groupId(deps, caller, options),
      ...(options.exclude && { settings: { exclude: options.exclude } }),
      ...(value && { credential: { type: "bearer", value } }),
    };
    const preview =
      dryRun || !options.kind
        ? await lookAt(deps, caller, await readBody(SourcePreviewBody, given))
        : null;
    if (dryRun && preview) {
      const { kind, links, new_links: fresh, left_out: leftOut, pages } = preview;
      const { robots, errors, notes } = preview;
      const counts = `links: ${links}, new links: ${fresh}, left out: ${leftOut}`;
      cli.print(`Kind: ${kind}, first pages: ${pages}, ${counts}`);
      for (const line of [robots, ...errors, ...notes]) if (line) cli.print(line);
      if (errors.length > 0 || robots) cli.exitCode = NOT_COMPLETE;
      return;
    }
    const kind = options.kind ?? preview!.kind;
    const name = options.name ?? preview?.name ?? URL.parse(url ?? "")?.hostname ?? kind;
    const input = await readBody(NewSource, { ...given, kind, name });
    const { id } = await makeChange(deps, caller, (unit) => createSource(unit, caller, input));
    cli.print(id);
  });
}

async function groupId(deps: Deps, caller: Caller, { group }: Add): Promise<string | null> {
  if (group === undefined) return null;
  const found = (await openGroupBook(deps, caller)).find(group);
  if (!found) throw new UsageError(`There is no group "${group}".`);
  return found.id;
}

/** Reads the beginning in this process. */
async function lookAt(deps: Deps, caller: Caller, body: Parameters<typeof previewSource>[2]) {
  const { closeChecks } = await import("../app/build.ts");
  try {
    return await previewSource(deps, caller, body, new AbortController().signal);
  } finally {
    closeChecks(deps);
  }
}

/** More than any account may have. */
const all = { page: 1, per_page: 10_000 };

async function list(cli: Cli, options: OfAccount): Promise<void> {
  await withDeps(cli, async (deps) => {
    const { items } = await listSources(deps, await callerFor(deps, options.email), all);
    const rows = items.map((source) => [
      source.name,
      source.kind,
      statusOf(source),
      String(source.links),
      String(source.dead),
      toIsoOrNull(source.run?.endedAt ?? null) ?? "",
      source.url ?? "",
    ]);
    cli.print(tableOf(["name", "kind", "status", "links", "dead", "last run", "url"], rows));
  });
}

/** @throws UsageError if the account has no source with the name */
async function named(
  cli: Cli,
  { email }: OfAccount,
  name: string,
  work: (deps: Deps, caller: Caller, source: ShownSource) => Promise<void>,
): Promise<void> {
  await withDeps(cli, async (deps) => {
    const caller = await callerFor(deps, email);
    const { items } = await listSources(deps, caller, all);
    const source = items.find((each) => each.name === name);
    if (!source) throw new UsageError(`There is no source "${name}"; list them with: source list`);
    await work(deps, caller, source);
  });
}

function print(cli: Cli, source: ShownSource): void {
  const { run, links, dead, pages, places, url } = source;
  cli.print(`${source.name} (${source.kind}): ${statusOf(source)}`);
  if (url) cli.print(url);
  cli.print(`Links: ${links}, dead: ${dead}, places: ${places}, pages: ${pages}`);
  if (!run) return;
  const reason = run.reason ? ` (${run.reason})` : "";
  cli.print(`Latest run: ${run.status}${reason} ${toIsoOrNull(run.endedAt) ?? ""}`.trimEnd());
  for (const line of [run.message, ...run.notes]) if (line) cli.print(line);
}

type Run = OfAccount & { wait?: true; acceptShrink?: true };

const runOne = (cli: Cli, name: string, { wait, acceptShrink, ...options }: Run) =>
  named(cli, options, name, async (deps, caller, { id }) => {
    const start = await makeChange(deps, caller, (unit) =>
      requestRun(unit, caller, id, { acceptsShrink: acceptShrink === true }),
    );
    if (!wait) return cli.print(start.isNew ? "Run queued." : "A run is already under way.");
    for (;;) {
      const source = await showSource(deps, caller, id);
      if (source.run && !isUnderWay(source.run)) {
        print(cli, source);
        if (source.run.status !== "complete") cli.exitCode = NOT_COMPLETE;
        return;
      }
      await deps.clock.sleep(LOOK_MS);
    }
  });
