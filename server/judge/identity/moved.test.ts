import { describe, expect } from "bun:test";
import { eachRow, yamlIn } from "../../../tests/each-row.ts";
import { moveTo } from "./moved.ts";

type Rows = [link: string, target: string][];
const ROWS = yamlIn<{ safe: Rows; likely: Rows; never: Rows }>(import.meta.dir, "moved.yaml");

describe("a link that redirects for good", () => {
  eachRow(ROWS.safe)("is the same address in another form", (link, target) =>
    expect(moveTo(link, target)).toBe("safe"),
  );

  eachRow(ROWS.likely)("has likely moved", (link, target) =>
    expect(moveTo(link, target)).toBe("likely"),
  );

  eachRow(ROWS.never)("keeps its address, which is worth more or leads nowhere", (link, target) =>
    expect(moveTo(link, target)).toBeNull(),
  );
});
