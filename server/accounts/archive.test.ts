import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { entriesOf } from "../../tests/audit/looking.ts";
import { eachRow } from "../../tests/each-row.ts";
import { onServer, type Reply } from "../../tests/harness.ts";
import { newTeam } from "../../tests/people/people.ts";
import { newScratchFolder } from "../../tests/scratch.ts";

const keyFile = join(newScratchFolder("stillup-key-"), "key");
writeFileSync(keyFile, "access:secret\n");
const withKey = { STILLUP_ARCHIVE_KEY_FILE: keyFile };

const refusalOf = ({ status, body }: Reply) => [
  status,
  body.error.details?.reason,
  body.error.message,
];

onServer(
  "The use of archives",
  (server) => {
    test("is turned on by an owner, seen by all, and recorded", async () => {
      const { account, browsers } = await newTeam(server());
      const uses = async () => {
        const { archive_lookup, archive_save } = (await browsers.viewer.get("/account")).body.data;
        return [archive_lookup, archive_save];
      };
      expect(await uses()).toEqual(["off", "off"]);

      const { result, entries } = await entriesOf(server(), async () => [
        await browsers.owner.patch("/account", { archive_lookup: true, archive_save: false }),
        await browsers.owner.patch("/account", { archive_save: true }),
        await browsers.owner.patch("/account", {}),
        await browsers.owner.patch("/account", { archive_save: false }),
      ]);

      expect(result[1]?.body.data).toMatchObject({ archive_lookup: "on", archive_save: "on" });
      expect(await uses()).toEqual(["on", "off"]);
      expect(entries.map(({ action, fields, targetId }) => [action, fields, targetId])).toEqual([
        ["archive.setting_changed", '["archive_lookup"]', account.id],
        ["archive.setting_changed", '["archive_save"]', account.id],
        ["archive.setting_changed", '["archive_save"]', account.id],
      ]);
    });

    test("is not changed by others, nor by a key", async () => {
      const { browsers } = await newTeam(server());
      const me = await server().account();

      for (const browser of [browsers.editor, browsers.viewer]) {
        expect((await browser.patch("/account", { archive_lookup: true })).status).toBe(403);
      }
      expect((await me.patch("/api/v1/account", { archive_lookup: true })).status).toBe(405);
    });

    eachRow([[{ archive_lookup: "yes" }], [{ archive_save: 1 }], ["on"]])(
      "is on or off",
      async (change) => {
        const { browsers } = await newTeam(server());

        expect((await browsers.owner.patch("/account", change)).status).toBe(400);
      },
    );
  },
  withKey,
);

onServer(
  "A server without a key of an archive",
  (server) => {
    test("looks for copies, and saves nothing", async () => {
      const { browsers } = await newTeam(server());

      const refused = await browsers.owner.patch("/account", {
        archive_lookup: false,
        archive_save: true,
      });

      expect(refusalOf(refused)).toEqual([
        409,
        "archive_off",
        "This server cannot save pages: ask the operator to set a key for it.",
      ]);
      // On from the beginning.
      expect((await browsers.owner.get("/account")).body.data).toMatchObject({
        archive_lookup: "on",
        archive_save: "forbidden",
      });
      const off = await browsers.owner.patch("/account", { archive_lookup: false });
      expect(off.body.data.archive_lookup).toBe("off");
    });
  },
  { STILLUP_ARCHIVE: "on" },
);

onServer(
  "A server that forbids archives",
  (server) => {
    test("says so", async () => {
      const { browsers } = await newTeam(server());

      for (const name of ["archive_lookup", "archive_save"]) {
        expect(refusalOf(await browsers.owner.patch("/account", { [name]: true }))).toEqual([
          409,
          "archive_off",
          "This server does not use archives.",
        ]);
        expect((await browsers.owner.patch("/account", { [name]: false })).status).toBe(200);
        expect((await browsers.owner.get("/account")).body.data[name]).toBe("forbidden");
      }
    });
  },
  { ...withKey, STILLUP_ARCHIVE: "off" },
);
