/** A count that stands on the terminal's last line while there is more to come. */
type Progress = {
  count: () => void;
  /** Makes room for other output. */
  clear(): void;
};

/** Nothing when nobody watches: standard error is no terminal, or there is just one thing to do. */
export function startProgress(total: number): Progress {
  const { stderr } = process;
  if (!stderr.isTTY || total < 2) return { count: () => {}, clear: () => {} };
  let done = 0;
  const clear = () => stderr.write("\r\x1b[K");
  return {
    count: () => {
      clear();
      stderr.write(`${++done} of ${total}`);
    },
    clear,
  };
}

const CELLS = 24;

/** A bar for work whose length is known in part only, and what is done of it in words. */
type Bar = { show(done: number | null, what: string): void; clear(): void };

/** @see startProgress for when there is none */
export function startBar(): Bar {
  const { stderr } = process;
  if (!stderr.isTTY) return { show: () => {}, clear: () => {} };
  const clear = () => stderr.write("\r\x1b[K");
  return {
    clear,
    show(done, what) {
      clear();
      stderr.write(done === null ? what : `${barOf(done)} ${Math.floor(done * 100)} %  ${what}`);
    },
  };
}

const barOf = (done: number) => "█".repeat(Math.round(done * CELLS)).padEnd(CELLS, "░");
