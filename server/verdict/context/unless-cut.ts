/** Work that several checks wait for, under the signal of none, and what a check that is cut short has instead. */
type Shared<T> = { work: () => Promise<T>; instead: T };

/**
 * What shared work comes to; `instead` as soon as the signal of the check that waits aborts, while the work
 * goes on for the others. Nothing is begun for a check that was cut short before.
 */
export async function unlessCut<T>(
  signal: AbortSignal | undefined,
  { work, instead }: Shared<T>,
): Promise<T> {
  if (!signal) return work();
  if (signal.aborted) return instead;
  const cut = Promise.withResolvers<T>();
  const leave = () => cut.resolve(instead);
  signal.addEventListener("abort", leave);
  return Promise.race([work(), cut.promise]).finally(() =>
    signal.removeEventListener("abort", leave),
  );
}
