import { afterAll, describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { $ } from "bun";
import { makeRelease, newMachine } from "./machine.ts";

const SCRIPT = join(import.meta.dir, "../../install.sh");

/** The folders that a real --system install writes to, laid over those of this machine for one shell alone. */
const OVERLAY = `set -e
mount --make-rprivate /
mount -t tmpfs tmpfs /mnt
mkdir /mnt/upper /mnt/work
mount -t overlay overlay -o lowerdir=/etc,upperdir=/mnt/upper,workdir=/mnt/work /etc
mount -t tmpfs -o mode=755 tmpfs /usr/local
mount -t tmpfs -o mode=755 tmpfs /var/lib`;

const hasSystemd = existsSync("/run/systemd/system");
const isPossible =
  process.getuid?.() === 0 &&
  !hasSystemd &&
  (await $`unshare --mount sh -c ${OVERLAY}`.nothrow().quiet()).exitCode === 0;
if (!isPossible) console.warn("no folders can be laid over those of this machine: not tried");

test.skipIf(process.getuid?.() !== 0)("install.sh works for a user without a name", async () => {
  const machine = newMachine();
  const release = makeRelease(machine, "1.0.0");
  await $`chown -R 4711:4711 ${machine.folder}`;

  const { exitCode, stdout, stderr } =
    await $`setpriv --reuid 4711 --regid 4711 --clear-groups sh ${SCRIPT} --user --no-service`
      .env({ PATH: process.env.PATH, HOME: machine.path(), STILLUP_RELEASE_URL: release })
      .cwd(machine.folder)
      .nothrow()
      .quiet();
  machine.remove();

  expect([exitCode, stderr.toString()]).toEqual([0, ""]);
  expect(stdout.toString()).toStartWith("stillup 1.0.0 is installed: ");
});

describe.skipIf(!isPossible)("install.sh --system without systemd", () => {
  const machine = newMachine();
  afterAll(() => machine.remove());

  test("gives a command that becomes the program, so that SIGTERM reaches it", async () => {
    const release = makeRelease(machine, "1.0.0", "well", WAITING);
    const steps = `${OVERLAY}
      sh '${SCRIPT}' --system
      stillup wait > /mnt/said &
      until [ -s /mnt/said ]; do sleep 0.05; done
      kill -TERM $!
      wait $! && echo "$! ended well" && cat /mnt/said`;

    const { exitCode, stdout } = await $`unshare --mount sh -c ${steps}`
      .env({ PATH: "/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", STILLUP_RELEASE_URL: release })
      .nothrow()
      .quiet();

    expect(exitCode).toBe(0);
    expect(stdout.toString()).toMatch(/\n(\d+) ended well\n\1 runs as stillup\nstopped\n$/);
  });
});

const WAITING = `
if [ "$3" = wait ]; then
  trap 'echo stopped; exit 0' TERM
  echo "$$ runs as $(id -un)"
  while :; do sleep 0.05; done
fi`;
