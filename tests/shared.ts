const closers: (() => Promise<void>)[] = [];

/** Registers how to end something that lives as long as the test run. */
export const closeAtEnd = (close: () => Promise<void>) => closers.push(close);

export const closeShared = async () => {
  for (const close of closers) await close();
};
