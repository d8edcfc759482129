import { existsSync, rmSync, statSync } from "node:fs";
import { open, rename, statfs } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type Config, sqlitePath } from "../../config/config.ts";
import { describeError, log } from "../../lib/log.ts";
import type { Deps } from "../../work/deps.ts";

const MIB = 1024 * 1024;
const LOOK_EVERY_MS = 2000;
/** The floor is at most this part of a disk, so that a small one is of use at all. */
const LARGEST_FLOOR = 1 / 10;
const RESERVE_BYTES = 16 * MIB;
/** The same for the reserve. */
const LARGEST_RESERVE = 1 / 64;
/** With less of the reserve's size left, the disk counts as full, whatever the floor is. */
const LAST_PART = 1 / 4;

/** Of a disk, in bytes: what is left for us, and what there is altogether. */
type Room = { free: number; size: number };
export type RoomAt = (folder: string) => Promise<Room>;

type DiskWatch = {
  /** Looks now, instead of at the next time. */
  look(): Promise<void>;
  /** Ends watching, with room for what is left to be written. */
  stop(): Promise<void>;
};

/**
 * Sees to it that the disk is never written full. With too little room left, "disk_full" is set, and nothing is
 * written but deletions; it is over once there is room for the floor and the reserve, and some more. Nothing is
 * written while the database's file is missing, "data_folder_gone". Other databases than SQLite have their own disk, which their servers look after.
 */
export function watchDisk(deps: Deps, options: { roomAt?: RoomAt } = {}): DiskWatch {
  const { config, clock, troubles, store } = deps;
  const path = sqlitePath(config);
  if (path === null) return { look: async () => {}, stop: async () => {} };
  const reserve = createReserve(join(config.dataDir, "reserve"));
  const ending = new AbortController();
  let isBlind = false;
  const isFull = () => troubles.all().some(({ name }) => name === "disk_full");

  /** SQLite found no room: what was kept back is for deletions, and for ending in order. */
  function full() {
    reserve.free();
    begin("The disk is full. Reading and deleting work; all else does again once there is room.");
  }

  function begin(message: string) {
    if (!isFull()) log.error("nothing is written but deletions: there is no room on the disk");
    troubles.set("disk_full", message);
  }

  /** SQLite goes on with a file that was moved or deleted, and opens no other one. */
  function isGone(database: string): boolean {
    const wasGone = troubles.all().some(({ name }) => name === "data_folder_gone");
    const isMissing = !existsSync(database);
    if (isMissing && !wasGone) {
      log.error("data folder gone: nothing is written", { path: database });
      const message = `${database} is missing. Move the data folder back to its place.`;
      troubles.set("data_folder_gone", message);
    } else if (!isMissing && wasGone) {
      log.info("data folder is back");
      troubles.set("data_folder_gone", null);
    }
    return isMissing;
  }

  async function judge(database: string) {
    if (isGone(database)) return;
    const room = await leastRoom(config, options.roomAt);
    const { free, floor } = room;
    const reserved = reservedOf(room);
    if (free < reserved * LAST_PART) return full();
    if (free < floor) return begin(tooLittle(free, floor));
    // Else it would be full again at once, or as soon as the reserve is taken.
    if ((isFull() || !reserve.isTaken()) && free < floor + 2 * reserved) return;
    if (!(await reserve.take(reserved)) || !isFull()) return;
    troubles.set("disk_full", null);
    log.info("there is room on the disk again, and all is written");
  }

  const look = () =>
    judge(path).then(
      () => note(false),
      (error) => note(true, error),
    );

  /** Once when it begins, and once when it is over. */
  function note(blind: boolean, error?: unknown) {
    if (blind && !isBlind) log.error("the disk is not looked at", describeError(error));
    if (!blind && isBlind) log.info("the disk is looked at again");
    isBlind = blind;
  }

  async function watch() {
    while (!ending.signal.aborted) {
      await look();
      await clock.sleep(LOOK_EVERY_MS, ending.signal);
    }
  }

  store.engine.whenFull.add(full);
  const watching = watch();
  return {
    look,
    async stop() {
      ending.abort();
      await watching;
      await look();
    },
  };
}

/**
 * Gives back what was kept back when the disk is full already: opening a database takes some room. For before the
 * start.
 */
export async function makeRoom({ dataDir }: Pick<Config, "dataDir">) {
  const reserve = createReserve(join(dataDir, "reserve"));
  if (!reserve.isTaken()) return;
  const room = await readRoom(dataDir);
  if (room.free < reservedOf(room) * LAST_PART) reserve.free();
}

/** Of the disks that are written to, the one which is nearest to its floor, and that floor. */
export async function leastRoom(config: Config, roomAt: RoomAt = readRoom) {
  const rooms = await Promise.all(foldersOf(config).map(roomAt));
  const judged = rooms.map((room) => ({ ...room, floor: floorOf(config, room) }));
  return judged.reduce((a, b) => (b.free - b.floor < a.free - a.floor ? b : a));
}

/**
 * For what writes without a server that watches the disk.
 * @throws a sentence when less is free than must stay free
 */
export async function refuseFullDisk(config: Config, roomAt?: RoomAt): Promise<void> {
  if (sqlitePath(config) === null) return;
  const { free, floor } = await leastRoom(config, roomAt);
  if (free < floor) throw new Error(tooLittle(free, floor));
}

/** How many bytes must stay free in the folder; 0 on a disk that holds neither the database nor the data folder. */
export async function floorAt(config: Config, folder: string): Promise<number> {
  const disks = foldersOf(config).map((each) => statSync(each, { throwIfNoEntry: false })?.dev);
  return disks.includes(statSync(folder).dev) ? floorOf(config, await readRoom(folder)) : 0;
}

/** So many bytes stay free on a disk: with less nothing is written but deletions. */
const floorOf = ({ diskFloorMb }: Pick<Config, "diskFloorMb">, { size }: Room) =>
  Math.floor(Math.min(diskFloorMb * MIB, size * LARGEST_FLOOR));

const reservedOf = ({ size }: Room) => Math.floor(Math.min(RESERVE_BYTES, size * LARGEST_RESERVE));

/** The database may be on another disk than the data folder. */
function foldersOf(config: Config): string[] {
  const path = sqlitePath(config);
  return path === null ? [config.dataDir] : [config.dataDir, dirname(path)];
}

async function readRoom(folder: string): Promise<Room> {
  const { bavail, blocks, bsize } = await statfs(folder);
  return { free: bavail * bsize, size: blocks * bsize };
}

const tooLittle = (free: number, floor: number) =>
  `The disk has ${mib(free)} MiB left, and ${mib(floor)} must stay free (STILLUP_DISK_FLOOR_MB). ` +
  "Reading and deleting work; all else does again once there is room.";

const mib = (bytes: number) => Math.floor(bytes / MIB);

/** Written at once, so that other work gets its turn. */
const PIECE = 1024 * 1024;

/** Room on the disk that is kept back, to be given away when there is none left. */
type Reserve = {
  isTaken(): boolean;
  /** Whether it is there now: not when the disk has no room for it. */
  take(bytes: number): Promise<boolean>;
  free(): void;
};

function createReserve(path: string): Reserve {
  const isTaken = () => statSync(path, { throwIfNoEntry: false }) !== undefined;
  const unfinished = `${path}.unfinished`;
  return {
    isTaken,
    async take(bytes) {
      if (isTaken()) return true;
      try {
        await fill(unfinished, bytes);
        await rename(unfinished, path);
        return true;
      } catch {
        rmSync(unfinished, { force: true });
        return false;
      }
    },
    free: () => {
      for (const file of [path, unfinished]) rmSync(file, { force: true });
    },
  };
}

/** With noise: a hole, or what can be compressed, would take no room. */
async function fill(path: string, bytes: number): Promise<void> {
  const file = await open(path, "w", 0o600);
  try {
    for (let left = bytes; left > 0; left -= PIECE) await file.write(noise(Math.min(left, PIECE)));
    await file.sync();
  } finally {
    await file.close();
  }
}

function noise(bytes: number): Uint8Array {
  const piece = new Uint8Array(bytes);
  // As much as is given at once.
  for (let at = 0; at < bytes; at += 65_536)
    crypto.getRandomValues(piece.subarray(at, at + 65_536));
  return piece;
}
