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
