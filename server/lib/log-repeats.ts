import type { LogRecord, Sink } from "@logtape/logtape";
import { LRUCache } from "lru-cache";

/** A failure that goes on is told once in so long. */
const SILENT_MS = 60_000;
const MOST_KNOWN = 200;

type Known = { toldAt: number; repeated: number };

/**
 * Tells a failure that comes again and again, word for word, once a minute and how often it came meanwhile: a
 * database that is away for an hour must not fill the disk of the log.
 */
export function unlessRepeated(tell: Sink): Sink {
  const known = new LRUCache<string, Known>({ max: MOST_KNOWN });
  return (record) => {
    if (!("error" in record.properties)) return tell(record);
    const key = textOf(record);
    const before = known.get(key);
    const age = before ? record.timestamp - before.toldAt : SILENT_MS;
    // A clock that is set back tells it too.
    if (before && age >= 0 && age < SILENT_MS) {
      before.repeated++;
      return;
    }
    known.set(key, { toldAt: record.timestamp, repeated: 0 });
    tell(before?.repeated ? withCount(record, before.repeated) : record);
  };
}

/** All that is told but where in the program it came up. */
function textOf({ level, message, properties: { stack: _, ...facts } }: LogRecord): string {
  return JSON.stringify([level, message, facts]);
}

const withCount = (record: LogRecord, repeated: number): LogRecord => ({
  ...record,
  properties: { ...record.properties, repeated },
});
