/** What a row of a table promises, and a way to look at it. Both sides name the same things. */
export type Promised = {
  story: string;
  expected: Record<string, unknown>;
  seen: () => Record<string, unknown> | Promise<Record<string, unknown>>;
};

/**
 * Looks at one row after another, also after one that differs or throws.
 *
 * @throws Error that names every row that differs, with what was expected and what was seen
 */
export async function agree(rows: Promised[]): Promise<void> {
  if (rows.length === 0) throw new Error("There are no rows.");
  const differing: string[] = [];
  for (const row of rows) {
    const lines = await differencesOf(row);
    if (lines.length > 0) differing.push([row.story, ...lines].join("\n"));
  }
  if (differing.length === 0) return;
  throw new Error(`${differing.length} of ${rows.length} rows differ.\n${differing.join("\n")}`);
}

async function differencesOf({ expected, seen }: Promised): Promise<string[]> {
  const found = await lookAt(seen);
  const names = Object.keys({ ...expected, ...found });
  return names
    .filter((name) => !Bun.deepEquals(found[name], expected[name]))
    .flatMap((name) => [
      `  ${name} expected: ${shown(expected[name])}`,
      `  ${name} seen:     ${shown(found[name])}`,
    ]);
}

async function lookAt(seen: Promised["seen"]): Promise<Record<string, unknown>> {
  try {
    return await seen();
  } catch (thrown) {
    return { thrown };
  }
}

const shown = (value: unknown) =>
  value instanceof Error ? String(value.stack) : (JSON.stringify(value) ?? "nothing");
