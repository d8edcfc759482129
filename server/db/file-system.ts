import { existsSync, statfsSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { sizeText } from "../lib/text.ts";

/** Type numbers of statfs(2) on Linux for file systems whose locks other machines do not reliably see. */
const NETWORK: Record<number, string> = {
  26985: "NFS",
  20859: "SMB",
  4266872130: "SMB",
  4283649346: "CIFS",
  1702057286: "FUSE",
  16914839: "9p",
  1397113167: "AFS",
  12805120: "Ceph",
  2020557398: "a shared folder of VirtualBox",
  3133910204: "a shared folder of VMware",
};

/**
 * SQLite relies on locks and on shared memory, which network file systems have in name only: the database
 * would be damaged sooner or later.
 * @param typeOf gives the number of the folder's file system
 * @throws a sentence that says what to do
 */
export function refuseNetworkFs(database: string, typeOf = typeOfFolder): void {
  const folder = dirname(resolve(database));
  const name = existsSync(folder) ? NETWORK[typeOf(folder) >>> 0] : undefined;
  if (name === undefined) return;
  throw new Error(
    `The database ${database} is on a network file system (${name}), where SQLite cannot keep it safe. ` +
      "Put STILLUP_DATA_DIR on a local disk, or use PostgreSQL with STILLUP_DATABASE_URL. If the disk is " +
      "local all the same, set STILLUP_ALLOW_NETWORK_FS=true.",
  );
}

/** Elsewhere than on Linux the numbers mean other things. */
const typeOfFolder = (folder: string): number =>
  process.platform === "linux" ? statfsSync(folder).type : 0;

/** What is to be written does not fit on the disk. */
export class NoRoom extends Error {}

/** @throws NoRoom, a sentence with both numbers, when the folder's disk has less room than this, in bytes */
export function refuseWithoutRoom(folder: string, needed: number): void {
  const { bavail, blocks, bsize } = statfsSync(folder);
  const free = bavail * bsize;
  // Some file systems do not tell.
  if (blocks === 0 || free >= needed) return;
  throw new NoRoom(
    `The copy needs ${sizeText(needed)}, and the disk of ${folder} has ${sizeText(free)} free. Make room there.`,
  );
}
