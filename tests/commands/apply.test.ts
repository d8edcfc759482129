import { describe, expect, test } from "bun:test";
import { createProgram } from "./program.ts";

const FILE = "links: [https://example.org/a]";

describe("stillup apply", () => {
  const { run } = createProgram();
  const apply = (file: string, ...options: string[]) =>
    run(["apply", "-f", "-", ...options], {}, file);

  test("shows what it would do, asks, and tells by its exit code whether all is as it should be", async () => {
    await run(["user", "create", "--email", "me@example.org"]);
    const shown =
      "+ https://example.org/a  in no group, daily\n1 to create, 0 to change, 0 to delete.\n";

    expect(await apply(FILE, "--dry-run")).toEqual({ code: 2, out: shown, err: "" });
    expect(await apply(FILE)).toEqual({
      ...{ code: 64, out: shown },
      err: "Say --yes to do this where nobody can be asked.\n",
    });
    expect(await apply(FILE, "--yes")).toEqual({ code: 0, out: `${shown}Done.\n`, err: "" });
    const same = { code: 0, out: "All is as the file says.\n", err: "" };
    expect(await apply(FILE, "--dry-run")).toEqual(same);
    expect(await apply("links:\n- url: ftp://x", "--yes")).toEqual({
      ...{ code: 1, out: "" },
      err: "Standard input: Line 2: The URL must be an http or https URL.\n",
    });
  });
});
