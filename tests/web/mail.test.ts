import { expect, test } from "bun:test";
import { eq } from "drizzle-orm";
import type { Frame, Page } from "playwright-core";
import { CONTENTS } from "../../server/accounts/mail-contents.ts";
import { createAccount, createSetup } from "../../server/accounts/users.ts";
import { users } from "../../server/ground/db/tables.ts";
import { createLinks } from "../../server/links/create.ts";
import { sendDue } from "../../server/mail/send.ts";
import { onDashboard, openTab } from "../browser.ts";
import { mailSettings, startMailHost } from "../smtp.ts";
import { ownerOf } from "./actors.ts";
import { faultsOf } from "./looking.ts";
import { go } from "./pages.ts";

const PASSWORD = "correct horse battery staple";
const COST = { algorithm: "argon2id", memoryCost: 8, timeCost: 1 } as const;

const host = await startMailHost();

/** The path of a link in the last message to the address. */
function pathTo(address: string, part: string): string {
  const letter = host.letters.findLast(({ recipients }) => recipients.includes(address));
  const [, path] = new RegExp(`https://links\\.example\\.org(/${part}\\S+)`).exec(letter!.text!)!;
  return path!;
}

onDashboard(
  "Mail",
  (dashboard) => {
    const sendMails = async () => {
      while ((await sendDue(dashboard().server.deps, CONTENTS)) === null);
    };

    async function newOwner(email: string, isAdmin = false) {
      const passwordHash = await Bun.password.hash(PASSWORD, COST);
      const input = { email, tier: "business", passwordHash, isAdmin } as const;
      return createAccount(dashboard().server.deps, input);
    }

    async function signIn(page: Page, email: string, next = "/") {
      await page.goto(`/sign-in?next=${encodeURIComponent(next)}`);
      await page.getByLabel("E-mail").fill(email);
      await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
      await page.getByRole("button", { name: "Sign in", exact: true }).click();
    }

    /** That neither the list of alerts nor the menu nor the overview speaks of one. */
    async function expectNoFailure(page: Page, heading: string) {
      await go(page, "/alerts");
      await page.getByRole("heading", { name: heading }).waitFor();
      expect(await page.locator("#main .bad").count()).toBe(0);
      const entry = page.getByRole("navigation").getByRole("link", { name: /^Alerts/ });
      expect(await entry.textContent()).toBe("Alerts");
      await go(page, "/");
      await page.getByRole("heading", { name: "What should stay up?" }).waitFor();
      expect(
        await page.getByText(/alert to .* was turned off|alerts? (is|are) failing/).count(),
      ).toBe(0);
      await go(page, "/alerts");
    }

    test("a forgotten password is set by a link in a message", async () => {
      await newOwner("forgetful@example.org");
      const { page } = await dashboard().stranger();
      await page.goto("/sign-in");
      await page.getByRole("link", { name: "Forgot your password?" }).click();
      await page.getByLabel("E-mail").fill("forgetful@example.org");
      await page.getByRole("button", { name: "Send link" }).click();
      await page.getByText("a link for a new password is on its way").waitFor();
      await sendMails();

      await page.goto(pathTo("forgetful@example.org", "password#token="));
      await page.getByLabel("New password").fill("another long password");
      await page.getByRole("button", { name: "Set password" }).click();

      await page.getByText("Your new password is active").waitFor();
    });

    test("an alert by mail waits for its recipient, who confirms, unsubscribes and comes back", async () => {
      await newOwner("sender@example.org");
      const { page } = await dashboard().stranger();
      const devtools = await page.context().newCDPSession(page);
      await devtools.send("Emulation.setTimezoneOverride", { timezoneId: "Asia/Tokyo" });
      await signIn(page, "sender@example.org", "/alerts");
      await page.getByRole("button", { name: "New alert" }).click();
      expect(await page.getByRole("radio", { name: "E-mail" }).isChecked()).toBe(true);
      await page.getByLabel("Name", { exact: true }).fill("Reader");
      await page.getByLabel("E-mail address").fill("reader@example.com");
      await page.getByRole("radio", { name: "A summary is due" }).click();
      await page.getByRole("combobox", { name: "Day" }).selectOption({ label: "Every day" });
      await page.getByLabel("Time").fill("07:30");
      await page.getByRole("button", { name: "Create alert" }).click();
      await page.getByText("gets a message with a link to confirm").waitFor();
      await page.getByRole("button", { name: "Done" }).click();
      await page.getByText("a summary is due every day at 07:30").waitFor();
      await page.getByText("Waiting for reader@example.com to confirm.").first().waitFor();
      await page.getByText("Asia/Tokyo", { exact: true }).waitFor();
      await sendMails();
      await expectNoFailure(page, "1 alert is waiting for confirmation");
      const asked = host.letters.length;
      await page.getByRole("button", { name: "Send again" }).click();
      await page.getByText("The link was sent to reader@example.com again.").waitFor();
      await sendMails();
      expect(host.letters.length).toBe(asked + 1);
      host.answers({ rcpt: "550 5.1.1 No such user" });
      await page.getByRole("button", { name: "Send again" }).click();
      await page.getByText("Waiting for reader@example.com to confirm.").first().waitFor();
      await sendMails();
      host.answers({});
      await page.reload();
      const refused = "The mail server did not accept the message to reader@example.com (550).";
      await page.getByText(refused).first().waitFor();
      await expectNoFailure(page, "1 alert is waiting for confirmation");
      await page.getByRole("link", { name: "Unconfirmed" }).click();

      const { page: reader } = await openTab(page, dashboard().server);
      await reader.goto(pathTo("reader@example.com", "mail/confirm/"));
      await reader.getByRole("heading", { name: "Confirm your address" }).waitFor();
      await page.getByText(refused).first().waitFor();
      await reader.getByRole("button", { name: "Confirm" }).click();
      await reader.getByText("You are subscribed").waitFor();
      await page.reload();
      await page.getByRole("button", { name: "Send test" }).click();
      await page.getByText("Test delivered: returned 250").waitFor();

      await reader.goto(pathTo("reader@example.com", "mail/unsubscribe/"));
      await reader.getByRole("button", { name: "Unsubscribe", exact: true }).click();
      await page.reload();
      await page.getByText("The recipient unsubscribed").first().waitFor();
      expect(await page.locator("#main .failed").count()).toBe(0);
      await expectNoFailure(page, "1 alert is unsubscribed");
      expect(await page.getByRole("button", { name: "Send again" }).count()).toBe(0);
      await page.getByRole("link", { name: "Unsubscribed" }).click();
      await page.getByText("The recipient unsubscribed").first().waitFor();
      await reader
        .getByRole("button", { name: /Subscribe/ })
        .first()
        .click();
      await page.reload();
      await page.getByRole("button", { name: "Pause" }).waitFor();
    });

    test("one's own mail is one click, shown in both themes; others are for some links, and the mail server can be tried", async () => {
      const { owner, account } = await newOwner("self@example.org", true);
      const { deps } = dashboard().server;
      await deps.store.update(users).set({ emailVerifiedAt: 1 }).where(eq(users.id, owner.id));
      const { page } = await dashboard().stranger({ colorScheme: "dark" });
      await signIn(page, "self@example.org", "/alerts");
      await page.getByLabel("When links die or come back").click();
      await page.getByRole("button", { name: "dies or comes back" }).waitFor();
      await page.getByLabel("A summary every Monday").click();
      await page.getByText("a summary is due on Mondays at 08:00").first().waitFor();
      await page.getByRole("link", { name: "Working" }).click();
      await page.getByRole("button", { name: "Preview" }).click();
      const frame = page.frameLocator("iframe");
      const ink = () =>
        frame
          .locator("body > div")
          .nth(1)
          .evaluate((card) => getComputedStyle(card).backgroundColor);
      await frame.getByRole("heading", { name: "Dead" }).waitFor();
      expect(await ink()).toBe("rgb(25, 24, 21)");
      const isLight = (shown: Frame) => shown.url().endsWith("theme=light");
      const shown = page.waitForEvent("framenavigated", isLight);
      await page.getByRole("button", { name: "Light" }).click();
      await shown;
      await frame.getByRole("heading", { name: "Dead" }).waitFor();
      expect(await ink()).toBe("rgb(255, 254, 254)");

      const urls = ["https://example.com/a", "https://www.youtube.com/watch?v=aaaaaaaaaaa"];
      const wanted = urls.map((url) => ({
        url,
        group_id: null,
        check_frequency: "daily" as const,
      }));
      await createLinks(deps, await ownerOf(deps, account.id), wanted);
      await page.goto("/alerts");
      await page.getByRole("button", { name: "New alert" }).click();
      await page.getByLabel("Name", { exact: true }).fill("Videos");
      await page.getByRole("radio", { name: "Webhook" }).click();
      await page.getByLabel("URL").fill("https://hooks.example.com/x");
      await page.getByRole("button", { name: "All services" }).click();
      await page.getByRole("button", { name: "YouTube 1 link", exact: true }).click();
      await page.keyboard.press("Escape");
      await page.getByText("Matches 1 of your 2 links now.").waitFor();
      expect(await faultsOf(page)).toEqual([]);
      await page.getByRole("button", { name: "Create alert" }).click();
      await page.getByRole("button", { name: "Done" }).click();
      await page.getByRole("button", { name: "Edit" }).click();
      await page.getByRole("button", { name: "All services: YouTube" }).waitFor();
      await page.keyboard.press("Escape");

      await go(page, "/settings/installation");
      const panel = page.getByRole("region", { name: "Mail server" });
      await panel.getByRole("button", { name: "Send me a test message" }).click();
      await panel.getByText("Sent to self@example.org.").waitFor();
      expect(host.letters.at(-1)).toMatchObject({ subject: "Test message from Stillup" });
      host.answers({ mail: "550 5.7.1 Not from here" });
      await panel.getByRole("button", { name: "Send me a test message" }).click();
      await panel.getByText("does not accept mail: 550 5.7.1 Not from here").first().waitFor();
      host.answers({});
    });
  },
  mailSettings(host.port),
);

onDashboard(
  "Set-up with a mail server",
  (dashboard) => {
    test("offers a summary, which the new owner confirms", async () => {
      const { server } = dashboard();
      const token = await createSetup(server.deps);
      const { page } = await dashboard().stranger();
      await page.goto(`/setup#token=${token}`);
      await page.getByLabel("E-mail", { exact: true }).fill("first@example.org");
      await page.getByLabel("Password", { exact: true }).fill(PASSWORD);
      expect(await page.getByLabel("Mail me a summary every Monday").isChecked()).toBe(true);
      await page.getByRole("button", { name: "Create account" }).click();
      await page
        .getByText("A message with a link to confirm was sent to first@example.org.")
        .waitFor();
      expect(await faultsOf(page)).toEqual([]);
      await page.getByRole("link", { name: "Add your first links" }).click();
      await page.getByRole("dialog", { name: "Add links" }).waitFor();
      while ((await sendDue(server.deps, CONTENTS)) === null);

      const { page: reader } = await openTab(page, server);
      await reader.goto(pathTo("first@example.org", "mail/confirm/"));
      await reader.getByRole("button", { name: "Confirm" }).click();
      await reader.getByText("You are subscribed").waitFor();
      await page.keyboard.press("Escape");
      await page.getByRole("link", { name: "Alerts" }).click();
      await page.getByText("a summary is due on Mondays at 08:00").first().waitFor();
    });
  },
  mailSettings(host.port),
);
