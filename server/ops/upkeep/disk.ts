import { existsSync, rmSync, statSync } from "node:fs";
import { open, rename, statfs } from "node:fs/promises";
import { dirname, join } from "node:path";
import { type Config, sqlitePath } from "../../ground/config/config.ts";
import { describeError, log, logTransitions } from "../../ground/lib/log.ts";
import type { Deps } from "../../work/deps.ts";

const MIB = 1024 * 1024;
const LOOK_EVERY_MS = 2000;
/** The floor is at most this part of a disk, so that a small disk can be used. */
const LARGEST_FLOOR = 1 / 10;
const RESERVE_BYTES = 16 * MIB;
/** The reserve is at most this part of a disk. */
const LARGEST_RESERVE = 1 / 64;
/** With less free space than this part of the reserve, the disk counts as full. */
const LAST_PART = 1 / 4;

/** Bytes of a disk: available to this process, and in all. */
type Room = { free: number; size: number };
export type RoomAt = (folder: string) => Promise<Room>;

type DiskWatch = {
  /** Checks now. */
  look(): Promise<void>;
  /** Stops watching, after a last check. */
  stop(): Promise<void>;
};

/**
 * Allows only deletions ("disk_full") while the disk has less free space than the floor, until there is space for the
 * floor and the reserve again. Allows no writes ("data_folder_gone") while the database file is missing. PostgreSQL is
 * not watched: its server has its own disk.
 */
export function watchDisk(deps: Deps, options: { roomAt?: RoomAt } = {}): DiskWatch {
  const { config, clock, troubles, store } = deps;
  const path = sqlitePath(config);
  if (path === null) return { look: async () => {}, stop: async () => {} };
  const reserve = createReserve(join(config.dataDir, "reserve"));
  const ending = new AbortController();
  const isFull = () => troubles.all().some(({ name }) => name === "disk_full");

  /** Frees the reserve, for deletions and an orderly stop. */
  function full() {
    reserve.free();
    begin(`The disk is full. ${UNTIL_THEN}`);
  }

  function begin(message: string) {
    if (!isFull()) log.error("disk full: only deletions allowed");
    troubles.set("disk_full", message);
  }

  /** SQLite keeps using a file that was moved or deleted. */
  function isGone(database: string): boolean {
    const wasGone = troubles.all().some(({ name }) => name === "data_folder_gone");
    const isMissing = !existsSync(database);
    if (isMissing && !wasGone) {
      log.error("data folder gone: no writes allowed", { path: database });
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
    // Otherwise the disk would be full again at once, or when the reserve is written.
    if ((isFull() || !reserve.isTaken()) && free < floor + 2 * reserved) return;
    if (!(await reserve.take(reserved)) || !isFull()) return;
    troubles.set("disk_full", null);
    log.info("disk has space again: writes allowed");
  }

  const logFailures = logTransitions(
    (error) => log.error("failed to check the disk", describeError(error)),
    () => log.info("disk checks work again"),
  );
  const look = () => judge(path).then(() => logFailures(null), logFailures);

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

/** Before the start: frees the reserve if the disk is full, since opening a database takes some space. */
export async function makeRoom({ dataDir }: Pick<Config, "dataDir">) {
  const reserve = createReserve(join(dataDir, "reserve"));
  if (!reserve.isTaken()) return;
  const room = await readRoom(dataDir);
  if (room.free < reservedOf(room) * LAST_PART) reserve.free();
}

/** The disk, of the one or two in use, with the least space above its floor. */
export async function leastRoom(config: Config, roomAt: RoomAt = readRoom) {
  const rooms = await Promise.all(foldersOf(config).map(roomAt));
  const judged = rooms.map((room) => ({ ...room, floor: floorOf(config, room) }));
  return judged.reduce((a, b) => (b.free - b.floor < a.free - a.floor ? b : a));
}

/** For commands, which do not watch the disk. @throws a sentence when less than the floor is free */
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

/** The bytes that must stay free on a disk. */
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
  UNTIL_THEN;

const UNTIL_THEN = "Only reading and deleting work until there is more free space.";

const mib = (bytes: number) => Math.floor(bytes / MIB);

/** A file that keeps space on the disk, and is deleted when the disk is full. */
type Reserve = {
  isTaken(): boolean;
  /** Returns false if the disk has too little space for it. */
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

/** Writes random bytes: a hole, or compressible content, may take no space. In pieces, so that other work can run. */
async function fill(path: string, bytes: number): Promise<void> {
  const file = await open(path, "w", 0o600);
  try {
    for (let left = bytes; left > 0; left -= MIB) await file.write(noise(Math.min(left, MIB)));
    await file.sync();
  } finally {
    await file.close();
  }
}

function noise(bytes: number): Uint8Array {
  const piece = new Uint8Array(bytes);
  // The function fills at most this much at once.
  for (let at = 0; at < bytes; at += 65_536)
    crypto.getRandomValues(piece.subarray(at, at + 65_536));
  return piece;
}
