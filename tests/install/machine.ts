import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { $ } from "bun";
import { fileOf, PLATFORMS } from "../../.ci/release.ts";

const SCRIPT = join(import.meta.dir, "../../install.sh");

type Outcome = { code: number; said: string; complained: string };
type Settings = Record<string, string>;

/** A scratch machine, in a folder with a space in its name, whose systemctl only records its calls. */
export type Machine = {
  folder: string;
  /** The same as `/` of a --system, and the home folder of a --user. */
  path(...parts: string[]): string;
  read(...parts: string[]): string;
  /** Runs install.sh. */
  install(args: string[], settings?: Settings): Promise<Outcome>;
  /** Runs the install.sh of a checkout. */
  installFrom(checkout: string, args: string[]): Promise<Outcome>;
  /** The arguments of each call of systemctl. */
  systemctlCalls(): string[];
  /** What journalctl prints from now on. */
  logged(lines: string): void;
  /** The next run is ended just before it would restart the service. */
  cutOff(): void;
  /** From now on no program is well. */
  fallIll(): void;
  remove(): void;
};

export function newMachine(): Machine {
  const folder = mkdtempSync(join(tmpdir(), "stillup machine "));
  const path = (...parts: string[]) => join(folder, "root", ...parts);
  const calls = join(folder, "calls");
  mkdirSync(path("run/systemd/system"), { recursive: true });
  addTools(join(folder, "tools"), calls);
  return {
    folder,
    path,
    read: (...parts) => readFileSync(path(...parts), "utf8"),
    install: (args, settings) => run([SCRIPT, ...args], folder, settings),
    installFrom: (checkout, args) => run([join(checkout, "install.sh"), ...args], folder),
    systemctlCalls: () => (existsSync(calls) ? readFileSync(calls, "utf8").trim().split("\n") : []),
    logged: (lines) => writeFileSync(join(folder, "journal"), `${lines}\n`),
    cutOff: () => writeFileSync(join(folder, "cut-off"), ""),
    fallIll: () => writeFileSync(path("ill"), ""),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}

async function run(command: string[], folder: string, settings: Settings = {}): Promise<Outcome> {
  const env = {
    PATH: `${join(folder, "tools")}:${process.env.PATH}`,
    HOME: join(folder, "root"),
    STILLUP_ROOT: join(folder, "root"),
    ...settings,
  };
  const { exitCode, stdout, stderr } = await $`sh ${command}`
    .env(env)
    .cwd(folder)
    .nothrow()
    .quiet();
  return { code: exitCode, said: stdout.toString(), complained: stderr.toString() };
}

/** Waiting takes no time here. */
function addTools(folder: string, calls: string) {
  mkdirSync(folder, { recursive: true });
  const answers =
    'case "$*" in *NRestarts*) cat "$STILLUP_ROOT/restarts" 2>/dev/null || echo 0 ;; esac';
  const cutOff = `case "$*" in *daemon-reload) ! rm '${join(folder, "../cut-off")}' 2>/dev/null || kill $PPID ;; esac`;
  const note = `case "$*" in *show*|*is-active*) ;; *) echo "$*" >> '${calls}' ;; esac`;
  writeScript(join(folder, "systemctl"), [note, answers, cutOff].join("\n"));
  writeScript(join(folder, "journalctl"), `cat '${join(folder, "..", "journal")}' 2>/dev/null`);
  for (const tool of ["sleep", "loginctl"]) writeScript(join(folder, tool), "exit 0");
}

/** What a stand-in does when it is asked how it is; two know readiness: one has it the third time, one crashes. */
type Health = "well" | "ill" | "slow" | "crashing";

const HEALTH: Record<Health, string> = {
  well: '[ ! -e "$STILLUP_ROOT/ill" ]',
  ill: "exit 1",
  slow: '[ "$2" != --ready ] || { echo >> "$STILLUP_ROOT/asked"; [ "$(wc -l < "$STILLUP_ROOT/asked")" -ge 3 ]; }',
  crashing: '[ "$2" != --ready ] || { echo 1 > "$STILLUP_ROOT/restarts"; exit 1; }',
};

/**
 * A folder with the files of a release, whose executable is a small script that knows its version.
 * @param first what the script does before all else
 */
export function makeRelease(
  machine: Machine,
  version: string,
  health: Health = "well",
  first = "",
): string {
  const folder = join(machine.folder, `release ${version}`);
  mkdirSync(folder, { recursive: true });
  const names = PLATFORMS.map(fileOf);
  for (const name of names) writeScript(join(folder, name), first + standIn(version, health));
  writeSums(folder, names);
  return folder;
}

function standIn(version: string, health: Health): string {
  return `
if [ "$1" = --env-file ]; then shift 2; fi
case $1 in
  version) echo "stillup ${version}" ;;
  health) ${HEALTH[health]} ;;
  help) ${["slow", "crashing"].includes(health) ? "echo --ready" : ""} ;;
  *) echo "$0 $*" ;;
esac`;
}

/** A checkout that nothing was built in yet. `npm run build` builds a stand-in. */
export function makeCheckout(machine: Machine, version: string): string {
  const folder = join(machine.folder, "checkout");
  for (const each of [".ci", "server", "drizzle", "web/src"]) {
    mkdirSync(join(folder, each), { recursive: true });
  }
  for (const each of [".ci/build.ts", "package.json", "package-lock.json", "web/index.html"]) {
    writeFileSync(join(folder, each), "");
  }
  copyFileSync(SCRIPT, join(folder, "install.sh"));
  writeScript(join(folder, "built"), standIn(version, "well"));
  const npm = "mkdir -p node_modules/one dist web/dist && cp built dist/stillup";
  writeScript(join(machine.folder, "tools/npm"), npm);
  return folder;
}

export function writeSums(folder: string, names: string[]) {
  const lines = names.map((name) => {
    const hasher = new Bun.CryptoHasher("sha256").update(readFileSync(join(folder, name)));
    return `${hasher.digest("hex")}  ${name}\n`;
  });
  writeFileSync(join(folder, "SHA256SUMS"), lines.join(""));
}

export async function newKey(machine: Machine, name: string): Promise<string> {
  const key = join(machine.folder, name);
  await $`ssh-keygen -q -t ed25519 -N "" -C ${name} -f ${key}`.quiet();
  return key;
}

/** As a release is signed, its public key next to it. */
export async function sign(folder: string, key: string): Promise<void> {
  rmSync(join(folder, "SHA256SUMS.sig"), { force: true });
  await $`ssh-keygen -q -Y sign -f ${key} -n stillup-release ${join(folder, "SHA256SUMS")}`.quiet();
  await $`cp ${key}.pub ${join(folder, "release.pub")}`;
}

function writeScript(path: string, text: string) {
  writeFileSync(path, `#!/bin/sh\n${text}\n`);
  chmodSync(path, 0o755);
}
