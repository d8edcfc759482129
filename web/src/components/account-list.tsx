import { Trash2, UserPlus } from "lucide-preact";
import { ROLES, type Role } from "../lib/account.ts";
import { type AdminAccount, type Person, TIERS, type Tier } from "../lib/admin.ts";
import { IconButton, Moment } from "./elements.tsx";
import { PersonDeeds, PersonState, WordSelect } from "./person.tsx";

/** Actions with further questions open a dialog; the others happen immediately. */
type AccountDeeds = {
  onTier: (account: AdminAccount, tier: Tier) => void;
  onAdd: (account: AdminAccount) => void;
  onDelete: (account: AdminAccount) => void;
  onRole: (person: Person, role: Role) => void;
  onAdmin: (person: Person, isAdmin: boolean) => void;
  onReset: (person: Person) => void;
  onRemove: (person: Person) => void;
};

type AccountListProps = AccountDeeds & {
  accounts: AdminAccount[];
  /** Users cannot remove their own rights. */
  ownEmail: string;
};

export const AccountList = ({ accounts, ...rest }: AccountListProps) => (
  <ul class="accounts" aria-label="Accounts">
    {accounts.map((account) => (
      <li key={account.id} class="card">
        <AccountHead account={account} {...rest} />
        <ul class="people" aria-label={`People of ${account.email}`}>
          {account.users.map((person) => (
            <PersonRow key={person.id} person={person} {...rest} />
          ))}
        </ul>
      </li>
    ))}
  </ul>
);

type HeadProps = { account: AdminAccount } & Omit<AccountListProps, "accounts">;

function AccountHead({ account, ownEmail, onTier, onAdd, onDelete }: HeadProps) {
  const isOwn = account.users.some(({ email }) => email === ownEmail);
  return (
    <header>
      <div>
        <h3>{account.email}</h3>
        <p class="hint">
          {account.links_used.toLocaleString("en")} links, since <Moment at={account.created_at} />
        </p>
      </div>
      <WordSelect
        label={`Tier of ${account.email}`}
        value={account.tier}
        words={TIERS}
        onChange={(tier) => onTier(account, tier)}
      />
      <button type="button" onClick={() => onAdd(account)}>
        <UserPlus aria-hidden="true" />
        Add someone
      </button>
      {!isOwn && (
        <IconButton
          label={`Delete the account ${account.email}`}
          title="Delete the account"
          icon={Trash2}
          onClick={() => onDelete(account)}
        />
      )}
    </header>
  );
}

type RowProps = { person: Person } & Omit<AccountListProps, "accounts">;

function PersonRow({ person, ownEmail, onRole, onAdmin, onReset, onRemove }: RowProps) {
  const isSelf = person.email === ownEmail;
  return (
    <li>
      <div>
        <p class="name">{person.email}</p>
        <p class="hint">
          <PersonState person={person} />
        </p>
      </div>
      <WordSelect
        label={`Role of ${person.email}`}
        value={person.role}
        words={ROLES}
        onChange={(role) => onRole(person, role)}
      />
      <label class="choice">
        <input
          type="checkbox"
          checked={person.is_admin}
          disabled={isSelf}
          onChange={({ currentTarget }) => onAdmin(person, currentTarget.checked)}
        />
        Administrator
      </label>
      <div class="deeds">
        <PersonDeeds
          email={person.email}
          onReset={() => onReset(person)}
          onRemove={isSelf ? undefined : () => onRemove(person)}
        />
      </div>
    </li>
  );
}
