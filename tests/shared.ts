const closers: (() => Promise<void>)[] = [];

/** Remembers how to end something that lives as long as the test run. */
export const closeAtEnd = (close: () => Promise<void>) => closers.push(close);

export const closeShared = async () => {
  await Promise.all(closers.map((close) => close()));
};
