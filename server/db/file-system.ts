import { closeSync, existsSync, fsyncSync, openSync, statfsSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { sizeText } from "../lib/text.ts";

/** Type numbers of statfs(2) on Linux of file systems whose locks other machines do not see reliably. */
const NETWORK: Record<number, string> = {
  26985: "NFS",
  20859: "SMB",
  4266872130: "SMB",
  4283649346: "CIFS",
  1702057286: "FUSE",
  16914839: "9p",
  1397113167: "AFS",
  12805120: "Ceph",
  2020557398: "a VirtualBox shared folder",
  3133910204: "a VMware shared folder",
};

/**
 * Refuses network file systems: SQLite relies on locks and shared memory, which do not work reliably there, so the
 * database would be damaged sooner or later.
 * @param typeOf returns the type number of the folder's file system
 */
export function refuseNetworkFs(database: string, typeOf = typeOfFolder): void {
  const folder = dirname(resolve(database));
  const name = existsSync(folder) ? NETWORK[typeOf(folder) >>> 0] : undefined;
  if (name === undefined) return;
  throw new Error(
    `The database ${database} is on a network file system (${name}), where SQLite cannot keep it consistent. ` +
      "Put STILLUP_DATA_DIR on a local disk, or use PostgreSQL with STILLUP_DATABASE_URL. If the disk is " +
      "local anyway, set STILLUP_ALLOW_NETWORK_FS=true.",
  );
}

/** On other systems than Linux the numbers have other meanings. */
const typeOfFolder = (folder: string): number =>
  process.platform === "linux" ? statfsSync(folder).type : 0;

/** The disk has too little room for what would be written. */
export class NoRoom extends Error {}

/** @throws NoRoom if the folder's disk has fewer free bytes than needed */
export function refuseWithoutRoom(folder: string, needed: number): void {
  const { bavail, blocks, bsize } = statfsSync(folder);
  const free = bavail * bsize;
  // Some file systems report no numbers.
  if (blocks === 0 || free >= needed) return;
  throw new NoRoom(
    `The copy needs ${sizeText(needed)}, and the disk of ${folder} has ${sizeText(free)} free. Free some space there.`,
  );
}

/** Makes a file, or the names in a folder, survive a power cut. */
export function syncToDisk(path: string): void {
  const file = openSync(path, "r");
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
