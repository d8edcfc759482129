import { expect, test } from "bun:test";
import { check } from "../../tests/checked.ts";
import { onServer } from "../../tests/harness.ts";
import { addLink } from "../../tests/rows.ts";
import { mailSettings, startMailHost } from "../../tests/smtp.ts";
import { mailAddresses } from "../ground/db/tables.ts";
import { claimDue, type DueWebhook } from "../notify/claim.ts";

const host = await startMailHost();
const MANY = 60;

onServer(
  "many alerts by mail that wait for the mail server",
  (server) => {
    test("leave the turn to other webhooks, and take it a few at a time", async () => {
      const me = await server().account("enterprise");
      const { accountId } = me;
      for (let n = 0; n < MANY; n++) {
        const address = `reader${n}@example.org`;
        await server()
          .deps.store.insert(mailAddresses)
          .values({ accountId, address, n: 0, confirmedAt: 1 });
        const url = `mailto:${address}`;
        const made = await me.post("/api/v1/webhooks", {
          url,
          format: "email",
          events: ["link.dead"],
        });
        expect(made.status).toBe(201);
      }
      const other = await me.post("/api/v1/webhooks", {
        url: "https://hooks.example.com/",
        events: ["link.dead"],
      });
      const link = await addLink(me, { url: "https://example.com/" });
      await check(server(), [link], "ok");
      await check(server(), [link], "http_404");
      let offered: DueWebhook[] = [];
      const offer = () =>
        claimDue(server().deps, new Map(), (due) => {
          offered = due;
          return new Map();
        });

      await offer();

      const mails = offered.filter(({ isMail }) => isMail);
      expect(mails.length).toBeGreaterThan(0);
      expect(mails.length).toBeLessThan(MANY / 2);
      expect(offered.map(({ id }) => id)).toContain(other.body.data.id);
      const { claimed } = await claimDue(
        server().deps,
        new Map(mails.map(({ id }) => [id, 4])),
        (due) => {
          return new Map(due.map(({ id }) => [id, 1]));
        },
      );
      expect(claimed.map(({ webhookId }) => webhookId)).toEqual([other.body.data.id]);
    });
  },
  mailSettings(host.port),
);
