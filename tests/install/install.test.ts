import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { $ } from "bun";
import { IS_LONG } from "../long.ts";
import { type Machine, makeCheckout, makeRelease, newMachine } from "./machine.ts";

/** What `npm test` need not try of each: it tells how one installs, upgrades, goes back and is refused. */
const inLongRun = test.if(IS_LONG);

let machine: Machine;
beforeEach(() => {
  machine = newMachine();
});
afterEach(() => machine.remove());

const install = (version: string, ...args: string[]) =>
  machine.install(args, { STILLUP_RELEASE_URL: join(machine.folder, `release ${version}`) });
const modeOf = (...parts: string[]) => statSync(machine.path(...parts)).mode & 0o777;

describe("install.sh --system", () => {
  beforeEach(() => void makeRelease(machine, "1.0.0"));

  test("installs the program, its settings and a service that runs", async () => {
    const { code, said } = await install("1.0.0", "--system");

    expect(code).toBe(0);
    expect(said).toContain("stillup 1.0.0 is installed");
    expect(machine.systemctlCalls()).toEqual([
      "enable stillup.service",
      "daemon-reload",
      "restart stillup.service",
    ]);
    const unit = machine.read("etc/systemd/system/stillup.service");
    expect(unit).toContain(
      `ExecStart="${machine.path("usr/local/lib/stillup/stillup")}" --env-file "${machine.path("etc/stillup/env")}" serve\n`,
    );
    for (const line of [
      "User=stillup",
      "UMask=0077",
      "NoNewPrivileges=yes",
      "CapabilityBoundingSet=",
      "ProtectSystem=strict",
      `ReadWritePaths="${machine.path("var/lib/stillup")}"`,
      "OOMPolicy=continue",
    ])
      expect(unit.split("\n")).toContain(line);
    expect(modeOf("var/lib/stillup")).toBe(0o700);
    expect(modeOf("etc/stillup/env")).toBe(0o600);
  });

  inLongRun("gives a command that works on the data of the service", async () => {
    await install("1.0.0", "--system");

    const said = await $`${machine.path("usr/local/bin/stillup")} user list "a b"`.text();

    expect(said).toEndWith("/usr/local/lib/stillup/stillup user list a b\n");
  });

  test.skipIf(!IS_LONG || process.getuid?.() !== 0)(
    "refers users who may not read its settings to sudo",
    async () => {
      await install("1.0.0", "--system");
      await $`chmod -R a+rX ${machine.folder}; chmod 600 ${machine.path("etc/stillup/env")}`;
      const command = machine.path("usr/local/bin/stillup");
      const unprivileged = (...args: string[]) =>
        $`setpriv --reuid 65534 --regid 65534 --clear-groups ${command} ${args}`.nothrow().quiet();

      const listing = await unprivileged("user", "list");
      const checking = await unprivileged("check", "https://example.org/");

      expect(listing.exitCode).toBe(1);
      expect(listing.stderr.toString()).toEndWith("Type: sudo stillup user list\n");
      expect(checking.stdout.toString()).toEndWith("stillup check https://example.org/\n");
    },
  );

  inLongRun("shows the set-up link of the service", async () => {
    const link = "http://127.0.0.1:8484/setup#token=ABCDE";
    const line = JSON.stringify({ level: "info", message: `set up at ${link}` });
    machine.logged(`set up at http://old.test/setup#token=OLD\nlistening on x\n${line}`);
    mkdirSync(machine.path("var/lib/stillup"), { recursive: true });
    writeFileSync(machine.path("var/lib/stillup/setup-token"), "ABCDE\n");

    const { said } = await install("1.0.0", "--system");

    expect(said).toEndWith(`Open this to set it up: ${link}\n`);
  });

  inLongRun("shows no link where it has been set up already", async () => {
    machine.logged("set up at http://old.test/setup#token=OLD");

    const { said } = await install("1.0.0", "--system");

    expect(said).toEndWith('It runs as the service "stillup".\n');
  });

  test("changes nothing when it is run again", async () => {
    await install("1.0.0", "--system");
    const calls = machine.systemctlCalls();

    const again = await install("1.0.0", "--system");

    expect(again).toMatchObject({ code: 0, complained: "" });
    expect(again.said).toStartWith("stillup 1.0.0 is up to date");
    expect(machine.systemctlCalls()).toEqual(calls);
  });

  inLongRun("starts the service when the run before was cut off", async () => {
    machine.cutOff();
    await install("1.0.0", "--system");

    const again = await install("1.0.0", "--system");

    expect(again.said).toEndWith('It runs as the service "stillup".\n');
    expect(machine.systemctlCalls().filter((each) => each.startsWith("restart"))).toHaveLength(1);
    expect((await install("1.0.0", "--system")).said).toStartWith("stillup 1.0.0 is up to date");
  });

  test("lets the service keep its data where the settings say", async () => {
    await install("1.0.0", "--system");
    const elsewhere = machine.path("srv/our links");
    writeFileSync(machine.path("etc/stillup/env"), `STILLUP_DATA_DIR="${elsewhere}"\n`);

    const again = await install("1.0.0", "--system");

    expect(again.code).toBe(0);
    expect(again.said).toStartWith("stillup 1.0.0 stays; what is around it is brought up to date.");
    expect(again.said).toEndWith('It runs as the service "stillup".\n');
    expect(machine.systemctlCalls().filter((each) => each.startsWith("restart"))).toHaveLength(2);
    expect(modeOf("srv/our links")).toBe(0o700);
    const unit = machine.read("etc/systemd/system/stillup.service");
    expect(unit).toContain(`ReadWritePaths="${elsewhere}"\n`);
    expect(machine.read("etc/stillup/env")).toBe(`STILLUP_DATA_DIR="${elsewhere}"\n`);
  });

  inLongRun.each(["STILLUP_DATABASE_URL", "DATABASE_URL"])(
    "lets the service write where %s has the database",
    async (name) => {
      await install("1.0.0", "--system");
      const [data, elsewhere] = [machine.path("var/lib/stillup"), machine.path("srv/our links")];
      writeFileSync(machine.path("etc/stillup/env"), `${name}="sqlite:${elsewhere}/links.db"\n`);

      await install("1.0.0", "--system");

      expect(modeOf("srv/our links")).toBe(0o700);
      const unit = machine.read("etc/systemd/system/stillup.service");
      expect(unit).toContain(`\nReadWritePaths="${data}" "${elsewhere}"\n`);
      expect(unit).toContain(`\nRequiresMountsFor="${data}" "${elsewhere}"\n`);
    },
  );

  inLongRun.each(["sqlite:links.db", "postgres://stillup:it%27s@127.0.0.1/stillup"])(
    "lets the service write in the data alone with %s",
    async (url) => {
      await install("1.0.0", "--system");
      const unit = machine.read("etc/systemd/system/stillup.service");
      writeFileSync(machine.path("etc/stillup/env"), `STILLUP_DATABASE_URL=${url}\n`);

      await install("1.0.0", "--system");

      expect(machine.read("etc/systemd/system/stillup.service")).toBe(unit);
    },
  );

  inLongRun("reads its settings as the program does", async () => {
    const folder = machine.path("srv/our links");
    const lines = [
      `export STILLUP_DATA_DIR=${folder}`,
      `\texport  STILLUP_DATA_DIR = "${folder}" # on the "large" disk`,
      `STILLUP_DATA_DIR='${folder}'# "here"`,
      `STILLUP_DATA_DIR=\`${folder}\``,
      `STILLUP_DATA_DIR=${folder}\t# on the 'large' disk`,
      `STILLUP_DATA_DIR=${folder}#here`,
      `STILLUP_DATA_DIR=/srv/old\nSTILLUP_DATA_DIR=${folder} \r\n#STILLUP_DATA_DIR=/srv/new`,
    ];
    await install("1.0.0", "--system");
    const unit = ["etc/systemd/system/stillup.service"];

    for (const text of lines) {
      writeFileSync(machine.path(...unit), "");
      writeFileSync(machine.path("etc/stillup/env"), text);
      await install("1.0.0", "--system");

      expect(parseEnv(text).STILLUP_DATA_DIR).toBe(folder);
      expect(machine.read(...unit)).toContain(`\nReadWritePaths="${folder}"\n`);
    }
  });

  inLongRun("tells when the service does not run with what has changed around it", async () => {
    await install("1.0.0", "--system");
    machine.fallIll();
    writeFileSync(machine.path("etc/stillup/env"), `STILLUP_DATA_DIR="${machine.path("srv")}"\n`);

    const { code, complained } = await install("1.0.0", "--system");

    expect(code).toBe(1);
    expect(complained).toBe("It does not become healthy; look at: journalctl -u stillup\n");
  });

  inLongRun("closes a data folder that was there to all others", async () => {
    const data = machine.path("var/lib/stillup");
    mkdirSync(data, { recursive: true });
    chmodSync(data, 0o775);

    const { code } = await install("1.0.0", "--system");

    expect([code, modeOf("var/lib/stillup")]).toEqual([0, 0o700]);
  });

  test.skipIf(process.getuid?.() !== 0)("refuses the data folder of another user", async () => {
    const data = machine.path("var/lib/stillup");
    mkdirSync(data, { recursive: true });
    chownSync(data, 65534, 65534);

    const { code, complained } = await install("1.0.0", "--system");

    expect(code).toBe(1);
    expect(complained).toStartWith(`The data folder ${data} does not belong to the user root.`);
    expect(existsSync(machine.path("usr/local/lib/stillup/stillup"))).toBe(false);
  });

  test("refuses an open folder of something else, and leaves it as it is", async () => {
    const data = machine.path("var/lib/stillup");
    mkdirSync(data, { recursive: true });
    writeFileSync(join(data, "passwd"), "x");
    chmodSync(data, 0o755);

    const { code, complained } = await install("1.0.0", "--system");

    expect([code, modeOf("var/lib/stillup")]).toEqual([1, 0o755]);
    expect(complained).toStartWith(`The data folder ${data} is open to other users and holds`);
  });

  test("removes the program and the service, and leaves data and settings", async () => {
    await install("1.0.0", "--system");
    writeFileSync(machine.path("var/lib/stillup/stillup.db"), "links");

    const { code, said } = await install("1.0.0", "--system", "--uninstall");

    expect(code).toBe(0);
    expect(said).toContain(machine.path("var/lib/stillup"));
    expect(machine.systemctlCalls()).toContain("disable --now stillup.service");
    expect(existsSync(machine.path("usr/local/lib/stillup"))).toBe(false);
    expect(readdirSync(machine.path("usr/local/bin"))).toEqual([]);
    expect(existsSync(machine.path("etc/systemd/system/stillup.service"))).toBe(false);
    expect(machine.read("var/lib/stillup/stillup.db")).toBe("links");
    expect(existsSync(machine.path("etc/stillup/env"))).toBe(true);
  });
});

describe("install.sh --user", () => {
  beforeEach(() => void makeRelease(machine, "1.0.0"));

  test("installs below ~/.local, with a service of the user's own", async () => {
    const { code, said } = await install("1.0.0", "--user");

    expect(code).toBe(0);
    expect(said).toContain(`Your PATH does not name ${machine.path(".local/bin")}`);
    expect(machine.systemctlCalls()).toContain("--user enable stillup.service");
    expect(machine.read(".config/systemd/user/stillup.service")).toContain("default.target");
    expect(modeOf(".local/share/stillup")).toBe(0o700);
    expect(modeOf(".config/stillup/env")).toBe(0o600);
  });

  inLongRun("installs no service when none is wanted, and says how to start", async () => {
    const { said } = await install(
      "1.0.0",
      "--user",
      "--no-service",
      "--prefix",
      machine.path("opt"),
    );

    expect(said).toContain(`Start it with: '${machine.path("opt/bin/stillup")}' serve`);
    expect(machine.systemctlCalls()).toEqual([]);
    expect(existsSync(machine.path(".config/systemd"))).toBe(false);
  });
});

describe("install.sh of a checkout", () => {
  test("builds what it installs", async () => {
    const checkout = makeCheckout(machine, "1.0.0");

    const { said } = await machine.installFrom(checkout, ["--system"]);

    expect(said).toStartWith("stillup 1.0.0 is installed");
  });

  test.skipIf(!IS_LONG || process.getuid?.() !== 0)(
    "leaves what root builds to its owner",
    async () => {
      const checkout = makeCheckout(machine, "1.0.0");
      await $`chown -R 65534:65534 ${checkout}`;

      const { code } = await machine.installFrom(checkout, ["--system"]);

      expect(code).toBe(0);
      expect(await $`find ${checkout} ! -user 65534 -o ! -group 65534`.text()).toBe("");
    },
  );
});

describe("An upgrade", () => {
  beforeEach(async () => {
    makeRelease(machine, "1.0.0");
    await install("1.0.0", "--system");
    writeFileSync(machine.path("var/lib/stillup/stillup.db"), "links");
  });

  test("keeps the old program, and leaves it to the new one to copy the database", async () => {
    makeRelease(machine, "1.1.0");

    const { code, said } = await install("1.1.0", "--system");

    expect(code).toBe(0);
    expect(said).toContain("stillup 1.1.0 is installed in place of stillup 1.0.0, and runs.");
    expect(readdirSync(machine.path("var/lib/stillup"))).toEqual(["stillup.db"]);
    const lib = machine.path("usr/local/lib/stillup");
    expect(await $`${lib}/stillup version; ${lib}/stillup.previous version`.text()).toBe(
      "stillup 1.1.0\nstillup 1.0.0\n",
    );
    expect(machine.systemctlCalls().slice(-2)).toEqual([
      "daemon-reload",
      "restart stillup.service",
    ]);
  });

  test("to an older version needs --downgrade", async () => {
    makeRelease(machine, "0.9.9");
    makeRelease(machine, "1.0.0-rc.1");

    const refused = await install("0.9.9", "--system");
    const candidate = await install("1.0.0-rc.1", "--system");
    const allowed = await install("0.9.9", "--system", "--downgrade");
    makeRelease(machine, "0.10.0");
    const newer = await install("0.10.0", "--system");

    expect([refused.code, candidate.code]).toEqual([1, 1]);
    expect(refused.complained).toStartWith(
      "stillup 0.9.9 is older than stillup 1.0.0, which is installed; nothing was changed.",
    );
    expect(allowed.said).toContain("stillup 0.9.9 is installed in place of stillup 1.0.0");
    expect(newer.said).toContain("stillup 0.10.0 is installed in place of stillup 0.9.9");
  });

  test("to a version that does not become healthy is taken back, and reported", async () => {
    makeRelease(machine, "2.0.0", "ill");

    const { code, complained } = await install("2.0.0", "--system");

    expect(code).toBe(1);
    expect(complained).toContain(
      "stillup 2.0.0 did not become healthy, so that stillup 1.0.0 is back and runs; look at: journalctl -u stillup",
    );
    expect(await $`${machine.path("usr/local/bin/stillup")} version`.text()).toBe(
      "stillup 1.0.0\n",
    );
    expect(machine.systemctlCalls().filter((each) => each.startsWith("restart"))).toHaveLength(3);
  });

  inLongRun("waits until the new program is ready", async () => {
    makeRelease(machine, "1.1.0", "slow");

    const { said } = await install("1.1.0", "--system");

    expect(said).toEndWith("stillup 1.1.0 is installed in place of stillup 1.0.0, and runs.\n");
    expect(machine.read("asked")).toBe("\n\n\n");
  });

  inLongRun("to a version that crashes while it gets ready is taken back", async () => {
    makeRelease(machine, "2.0.0", "crashing");

    const { complained } = await install("2.0.0", "--system");

    expect(complained).toStartWith(
      "stillup 2.0.0 did not become healthy, so that stillup 1.0.0 is back and runs",
    );
  });

  test("that was cut off before the restart is gone on with", async () => {
    makeRelease(machine, "1.1.0");
    machine.cutOff();
    const { code } = await install("1.1.0", "--system");

    const again = await install("1.1.0", "--system");

    expect(code).not.toBe(0);
    expect(again.said).toBe("stillup 1.1.0 is installed in place of stillup 1.0.0, and runs.\n");
    expect(machine.systemctlCalls().filter((each) => each.startsWith("restart"))).toHaveLength(2);
    expect((await install("1.1.0", "--system")).said).toStartWith("stillup 1.1.0 is up to date");
  });

  inLongRun("that was cut off and does not become healthy is taken back as well", async () => {
    makeRelease(machine, "2.0.0", "ill");
    machine.cutOff();
    await install("2.0.0", "--system");
    makeRelease(machine, "2.0.1", "ill");

    const { complained } = await install("2.0.1", "--system");

    expect(complained).toStartWith(
      "stillup 2.0.1 did not become healthy, so that stillup 1.0.0 is back and runs",
    );
    expect((await install("1.0.0", "--system")).said).toStartWith("stillup 1.0.0 is up to date");
  });

  inLongRun(
    "names the copy to restore when the old program does not know the database any more",
    async () => {
      writeFileSync(machine.path("usr/local/lib/stillup/stillup"), "#!/bin/sh\nexit 1\n");
      makeRelease(machine, "2.0.0", "ill");
      const backups = machine.path("var/lib/stillup/backups");
      mkdirSync(backups);
      const [older, newer] = ["0013_a", "0014_b"].map((each) =>
        join(backups, `stillup-before-${each}-20310101T000000000Z.db`),
      ) as [string, string];
      writeFileSync(older, "");
      utimesSync(older, 1, 1);
      writeFileSync(newer, "");
      utimesSync(newer, 4e9, 4e9);

      const { code, complained } = await install("2.0.0", "--system");

      expect(code).toBe(1);
      expect(complained).toContain(`${machine.path("usr/local/bin/stillup")}' restore "${newer}"`);
      expect(complained).not.toContain(older);
    },
  );
});
