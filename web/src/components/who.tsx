import type { Account } from "../lib/account.ts";
import type { User } from "../lib/session.ts";
import { Moment } from "./moment.tsx";

const ROLES = {
  owner: "Owner: may do everything",
  editor: "Editor: may change links, groups, webhooks and keys",
  viewer: "Viewer: may look at everything and change nothing",
};

/** Who is signed in; the account's part comes a moment later, and its place is kept. */
export const Who = ({ user, account }: { user: User; account: Account | undefined }) => (
  <dl class="who-facts">
    <div>
      <dt>E-mail</dt>
      <dd class="url">{user.email}</dd>
    </div>
    <div>
      <dt>Role</dt>
      <dd>{ROLES[user.role]}</dd>
    </div>
    <div>
      <dt>Account</dt>
      <dd class="url">{account ? `${startUpper(account.tier)} tier, ${account.email}` : "…"}</dd>
    </div>
    <div>
      <dt>Made</dt>
      <dd>{account ? <Moment at={account.createdAt} /> : "…"}</dd>
    </div>
  </dl>
);

const startUpper = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
