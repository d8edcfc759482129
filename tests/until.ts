/** Comes true once it is so. */
export async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await Bun.sleep(5);
}
