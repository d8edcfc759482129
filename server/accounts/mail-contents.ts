import { and, desc, eq, isNotNull, sql } from "drizzle-orm";
import {
  accounts,
  hostSettings,
  identities,
  linkDetails,
  links,
  mailAddresses,
  users,
  webhooks,
} from "../ground/db/tables.ts";
import type { MailContent } from "../mail/layout.ts";
import { mailPath } from "../mail/links.ts";
import type { MailData, MailRow } from "../mail/queue.ts";
import type { Contents, MailReply } from "../mail/send.ts";
import type { Deps } from "../work/deps.ts";
import { hearsOfLinks } from "./mails.ts";
import { createPasswordLink } from "./users.ts";

/** What each kind of mail to people says. */
export const CONTENTS: Contents = { contentOf, replied: showReply };

async function contentOf(deps: Deps, row: MailRow): Promise<MailContent | null> {
  const { store } = deps;
  const data = JSON.parse(row.data);
  if (row.kind === "confirm") return confirmation(deps, row, data);
  const [user] = await store
    .select()
    .from(users)
    .where(eq(users.id, row.userId ?? ""));
  // A change of the address itself is reported to the address before it.
  if (user && row.kind === "changed") return news(deps, row, data);
  if (!user || (user.invitedEmail ?? user.email) !== row.address) return null;
  if (row.kind === "invite") return invitation(deps, row, data);
  if (row.kind === "assigned") return assigned(deps, row, data);
  if (row.kind === "host") return refusal(deps, row, data);
  // A later version next to this one may have queued it.
  if (row.kind !== "password") return null;
  const isLinked = (await store.$count(identities, eq(identities.userId, user.id))) > 0;
  if (user.passwordHash === null && isLinked) return withoutPassword(deps, row);
  return passwordLink(deps, row, data);
}

const page = ({ config }: Deps, path: string) => `${config.publicUrl}${path}`;
const hostOf = ({ config }: Deps) => new URL(config.publicUrl!).host;

async function invitation(
  deps: Deps,
  row: MailRow,
  { by, isTaken }: MailData["invite"],
): Promise<MailContent> {
  const subject = `Invitation to Stillup on ${hostOf(deps)}`;
  const footer = [`You get this message because ${by} entered your address.`];
  if (isTaken) {
    return {
      subject,
      heading: "You are invited to another account",
      paragraphs: [
        `${by} has invited ${row.address} to their account on ${hostOf(deps)}. Your address belongs to a user of another account there, and one address can be in one account only. Ask them to invite you with another address.`,
      ],
      footer,
    };
  }
  const token = await createPasswordLink(deps, row.userId!, "invite");
  return {
    subject,
    heading: "You are invited to Stillup",
    paragraphs: [
      `${by} has invited you to their account on ${hostOf(deps)}. Create a password to join.`,
      "The link works once, within 7 days.",
    ],
    button: { text: "Create password", url: page(deps, `/invitation#token=${token}`) },
    footer,
  };
}

async function passwordLink(
  deps: Deps,
  row: MailRow,
  { by }: MailData["password"],
): Promise<MailContent> {
  const token = await createPasswordLink(deps, row.userId!, "password");
  return {
    subject: `New password on ${hostOf(deps)}`,
    heading: "Set a new password",
    paragraphs: [
      by === null
        ? `Someone, probably you, asked for a new password for ${row.address}.`
        : `${by} has created a link for a new password for ${row.address}.`,
      "The link works once, within 30 minutes. It signs you out everywhere else.",
    ],
    button: { text: "Set a new password", url: page(deps, `/password#token=${token}`) },
    footer: ["If you did not ask for this, ignore the message: your password stays as it is."],
  };
}

const withoutPassword = (deps: Deps, row: MailRow): MailContent => ({
  subject: `New password on ${hostOf(deps)}`,
  heading: "You sign in without a password",
  paragraphs: [
    `Someone, probably you, asked for a new password for ${row.address}. You have none: you sign in by single sign-on.`,
  ],
  button: { text: "Sign in", url: page(deps, "/sign-in") },
  footer: ["If you did not ask for this, ignore the message."],
});

const CHANGES: Record<MailData["changed"]["what"], string> = {
  password: "Your password was changed",
  two_factor_on: "Two-factor sign-in is on",
  two_factor_off: "Two-factor sign-in is off",
  identity_linked: "Single sign-on was linked",
  identity_unlinked: "Single sign-on was unlinked",
  email: "The e-mail address of your user was changed",
};

/** These end all other sessions. */
const ENDING: MailData["changed"]["what"][] = ["password", "two_factor_on", "two_factor_off"];

const news = (deps: Deps, row: MailRow, { what }: MailData["changed"]): MailContent => ({
  subject: `${CHANGES[what]} on ${hostOf(deps)}`,
  heading: CHANGES[what],
  paragraphs: [
    `This is about ${row.address} on ${hostOf(deps)}.${ENDING.includes(what) ? " All other sessions have ended." : ""}`,
    "If this was not you, ask an owner of your account for a new password link at once.",
  ],
  button: { text: "Open Stillup", url: page(deps, "/settings/sessions") },
  footer: ["Such messages cannot be turned off."],
});

const NAMED = 10;

/** Null if none of them is assigned to the person any more, or if they do not want to hear of it any more. */
async function assigned(
  deps: Deps,
  row: MailRow,
  { count, by }: MailData["assigned"],
): Promise<MailContent | null> {
  const { store } = deps;
  if ((await store.$count(users, and(eq(users.id, row.userId!), hearsOfLinks))) === 0) return null;
  const isTheirs = eq(linkDetails.assigneeId, row.userId!);
  const total = await store.$count(linkDetails, isTheirs);
  if (total === 0) return null;
  const first = await store
    .select({
      id: links.id,
      url: links.url,
      status: links.status,
      title: linkDetails.title,
    })
    .from(linkDetails)
    .innerJoin(links, eq(links.no, linkDetails.linkNo))
    .where(isTheirs)
    .orderBy(
      sql`case ${links.status} when 'dead' then 0 when 'unknown' then 1 else 2 end`,
      desc(links.no),
    )
    .limit(NAMED);
  const were = count === 1 ? "1 link was" : `${count} links were`;
  const others = total - first.length;
  return {
    subject: `${were} assigned to you on ${hostOf(deps)}`,
    heading: `${were} assigned to you`,
    paragraphs: [`By ${by.join(", ")}. Assigned to you are now:`],
    lists: [...Map.groupBy(first, ({ status }) => STATUS_WORDS[status])].map(([name, some]) => ({
      name,
      items: some.map(({ id, url, title }) => ({
        text: title ? `${title}, ${url}` : url,
        detail: "",
        url: page(deps, `/links/${id}`),
      })),
    })),
    ...(others > 0 && { closing: [`And ${others} more.`] }),
    button: { text: "Show your links", url: page(deps, "/links?assignee=me") },
    footer: ["You get this message at most once an hour. You can turn it off under “Alerts”."],
  };
}

const STATUS_WORDS = { active: "Alive", dead: "Dead", unknown: "Unknown" } as const;

/** Null once the host accepts what is sent to it. */
async function refusal(
  deps: Deps,
  row: MailRow,
  { settingId }: MailData["host"],
): Promise<MailContent | null> {
  const isFailing = and(eq(hostSettings.id, settingId), isNotNull(hostSettings.failingSince));
  const [setting] = await deps.store.select().from(hostSettings).where(isFailing);
  if (!setting || setting.accountId !== row.accountId) return null;
  const { host } = setting;
  return {
    subject: `${host} refuses the credentials of your checks`,
    heading: `${host} refuses the credentials of your checks`,
    paragraphs: [
      `Checks of links at ${host} send what is set for it, and it does not accept that any more. These links are unknown, and none of them dies, until it does.`,
      "Set new values for the host, or delete the setting if the links work without it.",
    ],
    button: { text: "Open the hosts", url: page(deps, "/settings/hosts") },
    footer: [
      `You get this message because you can change the settings for hosts on ${hostOf(deps)}.`,
    ],
  };
}

async function confirmation(
  deps: Deps,
  row: MailRow,
  { webhookId, name, by }: MailData["confirm"],
): Promise<MailContent | null> {
  const { store } = deps;
  const [account] = await store
    .select()
    .from(accounts)
    .where(eq(accounts.id, row.accountId ?? ""));
  if (!account) return null;
  const { id: accountId } = account;
  const isAddress = and(
    eq(mailAddresses.accountId, accountId),
    eq(mailAddresses.address, row.address),
  );
  const [known] = await store.select().from(mailAddresses).where(isAddress);
  const link = { accountId, webhookId, address: row.address, n: known?.n ?? 0 };
  const alert = name ? `the alert “${name}”` : "alerts";
  return {
    subject: `Confirm alerts from ${hostOf(deps)}`,
    heading: "Do you want these alerts?",
    paragraphs: [
      `${by} wants to send ${alert} of the account ${account.email} to ${row.address}. Stillup watches links, and its alerts say which ones are dead.`,
      "Confirm within 7 days. Without that you will get nothing else.",
    ],
    button: { text: "Confirm", url: page(deps, mailPath(deps, "confirm", link)) },
    footer: ["If you did not expect this, ignore the message."],
  };
}

/** A webhook whose recipient could not even be asked shows what the mail server replied. */
async function showReply({ store }: Deps, row: MailRow, { code, what }: MailReply): Promise<void> {
  if (row.kind !== "confirm") return;
  const { webhookId }: MailData["confirm"] = JSON.parse(row.data);
  const isWaiting = and(
    eq(webhooks.id, webhookId),
    eq(webhooks.accountId, row.accountId ?? ""),
    eq(webhooks.disabledReason, "unconfirmed"),
  );
  const lastStatusCode = what === "sent" ? null : code;
  await store.update(webhooks).set({ lastStatusCode }).where(isWaiting);
}
