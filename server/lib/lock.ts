const last = new Map<string, Promise<unknown>>();

/**
 * Runs the work after all earlier work under the same name in this process, so that reading a count
 * and writing within a limit are not torn apart by a parallel request.
 */
export async function oneAtATime<T>(name: string, work: () => Promise<T>): Promise<T> {
  const before = last.get(name) ?? Promise.resolve();
  const mine = before.then(work, work);
  last.set(name, mine);
  try {
    return await mine;
  } finally {
    if (last.get(name) === mine) last.delete(name);
  }
}
