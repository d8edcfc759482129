import { describe } from "bun:test";
import { basename } from "node:path";
import { prove } from "../../../tests/checker/services/prove.ts";
import { readRows, rowsFiles } from "../../../tests/checker/services/read-rows.ts";

describe.each(rowsFiles().map((path) => [basename(path, ".yaml"), path]))("%s", (_, path) =>
  prove(readRows(path)),
);
