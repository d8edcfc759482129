import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { $ } from "bun";
import { finishRelease } from "../../.ci/release.ts";
import { billOfMaterials } from "../../.ci/sbom.ts";

const ROOT = join(import.meta.dir, "../..");
const folder = mkdtempSync(join(tmpdir(), "stillup-release-"));
const { dependencies, devDependencies } = JSON.parse(
  readFileSync(join(ROOT, "package.json"), "utf8"),
);

describe("A release", () => {
  beforeAll(async () => {
    writeFileSync(join(folder, "stillup-linux-x64"), "a program");
    await $`ssh-keygen -q -t ed25519 -N "" -f ${join(folder, "key")}`.quiet();
    process.env.STILLUP_SIGNING_KEY = join(folder, "key");
    await finishRelease(folder, ["stillup-linux-x64"]);
    delete process.env.STILLUP_SIGNING_KEY;
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test("has the sum of each of its files", async () => {
    const checked = await $`sha256sum --check --strict SHA256SUMS`.cwd(folder).text();

    expect(checked).toBe("install.sh: OK\nstillup-linux-x64: OK\nstillup.cdx.json: OK\n");
  });

  test("is verified by hand as its page says", async () => {
    const page = readFileSync(join(ROOT, "docs/install.md"), "utf8");
    const commands = /```sh\n(echo "stillup namespaces[^`]+)```/.exec(page)![1]!;

    const said = await $`sh -ec ${commands}`.cwd(folder).text();

    expect(said).toStartWith('Good "stillup-release" signature for stillup with ED25519 key');
  });

  test("loses the signature of another when it is not signed", async () => {
    await finishRelease(folder, ["stillup-linux-x64"]);

    expect(await Bun.file(join(folder, "SHA256SUMS.sig")).exists()).toBe(false);
    expect(await Bun.file(join(folder, "release.pub")).exists()).toBe(false);
  });
});

test("The bill of materials names what the program is made of, and nothing that only tests need", async () => {
  type Component = { name: string; version: string };
  const { components }: { components: Component[] } = JSON.parse(await billOfMaterials(ROOT));
  const named = components.map(({ name, version }) => `${name}@${version}`);

  for (const [name, version] of Object.entries(dependencies)) {
    expect(named).toContain(`${name}@${version}`);
  }
  expect(named).toContain(`bun@${devDependencies.bun}`);
  expect(named.filter((each) => each.startsWith("playwright"))).toEqual([]);
  expect(new Set(named).size).toBe(named.length);
});
