import type { Work } from "../ground/lib/vocabulary.ts";

/** The loops of this process that check links and send deliveries. */
export type Loops = {
  /** Wakes the loops of every process: a link or a delivery is due. */
  wake(): void;
  /** Wakes the loops of this process only. */
  wakeHere(): void;
  /** Registers a loop of this process. */
  onWake(wake: () => void): void;
  /** Registers what wakes the loops of other processes. */
  onWakeElsewhere(wake: () => void): void;
  /** Whether this process checks links. */
  isChecking(): boolean;
  setChecking(isChecking: boolean): void;
  /**
   * When the loop last looked for due work, by `elapsed()`: without an error, or while writes are stopped. Null
   * before the first time.
   */
  lookedAt(work: Work): number | null;
  noteLook(work: Work, at: number): void;
};

export function createLoops(): Loops {
  const here: (() => void)[] = [];
  const elsewhere: (() => void)[] = [];
  const looks = new Map<Work, number>();
  let isChecking = false;
  const wakeHere = () => {
    for (const wake of here) wake();
  };
  return {
    wake() {
      wakeHere();
      for (const wake of elsewhere) wake();
    },
    wakeHere,
    onWake: (wake) => void here.push(wake),
    onWakeElsewhere: (wake) => void elsewhere.push(wake),
    isChecking: () => isChecking,
    setChecking(next) {
      isChecking = next;
    },
    lookedAt: (work) => looks.get(work) ?? null,
    noteLook: (work, at) => void looks.set(work, at),
  };
}
