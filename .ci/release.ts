import { rm } from "node:fs/promises";
import { join } from "node:path";
import { $ } from "bun";
import { billOfMaterials } from "./sbom.ts";

/** What an executable is made for, in the words of Bun's targets. */
export const PLATFORMS = [
  "linux-x64",
  "linux-arm64",
  "linux-x64-musl",
  "linux-arm64-musl",
  "darwin-x64",
  "darwin-arm64",
  "windows-x64",
];

/** The name of a platform's executable. */
export const fileOf = (platform: string) =>
  `stillup-${platform}${platform.startsWith("windows") ? ".exe" : ""}`;

const ROOT = join(import.meta.dir, "..");
/** Names the purpose of the signature, so that the key's other signatures are not accepted for it. */
const NAMESPACE = "stillup-release";

/**
 * Adds to the executables what an installation needs: install.sh, the bill of materials,
 * SHA256SUMS over all of them, and its signature when `STILLUP_SIGNING_KEY` names an SSH key.
 */
export async function finishRelease(folder: string, executables: string[]): Promise<void> {
  await Bun.write(join(folder, "stillup.cdx.json"), await billOfMaterials(ROOT));
  await $`cp ${join(ROOT, "install.sh")} ${folder}`;
  const names = [...executables, "install.sh", "stillup.cdx.json"].sort();
  const lines = await Promise.all(
    names.map(async (name) => `${await sha256(folder, name)}  ${name}\n`),
  );
  await Bun.write(join(folder, "SHA256SUMS"), lines.join(""));
  await sign(folder, process.env.STILLUP_SIGNING_KEY);
}

async function sha256(folder: string, name: string): Promise<string> {
  const hasher = new Bun.CryptoHasher("sha256");
  for await (const chunk of Bun.file(join(folder, name)).stream()) hasher.update(chunk);
  return hasher.digest("hex");
}

/** A signature of another build must not stay either. */
async function sign(folder: string, key: string | undefined): Promise<void> {
  const sums = join(folder, "SHA256SUMS");
  const publicKey = join(folder, "release.pub");
  await Promise.all([rm(`${sums}.sig`, { force: true }), rm(publicKey, { force: true })]);
  if (!key) return;
  await $`ssh-keygen -q -Y sign -f ${key} -n ${NAMESPACE} ${sums}`.quiet();
  await $`ssh-keygen -y -f ${key} > ${publicKey}`;
}
