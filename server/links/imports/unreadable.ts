/** A text or a file that nothing can be read from. The message says what to do. */
export class Unreadable extends Error {}

/** Longer than any line, row, record or tag is meant to be. */
const MOST_WAITING = 16 * 1024 * 1024;

/**
 * Keeps what has no end from filling the memory.
 * @param waiting how many characters were read of something that is not whole yet
 */
export function refuseEndless(waiting: number, problem: string) {
  if (waiting > MOST_WAITING) throw new Unreadable(problem);
}
