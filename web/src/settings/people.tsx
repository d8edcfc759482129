import { KeyRound, Trash2, UserPlus, UserRound, UsersRound } from "lucide-preact";
import { useState } from "preact/hooks";
import { ROLES, type Role } from "../../../server/ground/lib/vocabulary.ts";
import { api, complete, unwrap } from "../data/api.ts";
import { absolute } from "../data/base.ts";
import { counted, startUpper } from "../data/format.ts";
import { SESSION, useSession, useUser } from "../data/session.ts";
import { Ask, type Closable, ShownOnce } from "../frame/ask.tsx";
import { useSave } from "../frame/toast.tsx";
import { Button } from "../ui/button.tsx";
import { CheckField, SelectField, TextField, textsIn } from "../ui/field.tsx";
import { Menu, Pick } from "../ui/menu.tsx";
import { Moment } from "../ui/moment.tsx";
import { Copyable } from "../ui/secrets.tsx";
import { Heading } from "../ui/section.tsx";
import { Line, List, optionsOf } from "./parts.tsx";
import { type Colleague, PEOPLE, usePeople } from "./queries.ts";
import type { Section } from "./settings.tsx";

export const section: Section = { part: "Account", place: 1, name: "People", icon: UsersRound };

/** Owners can change who is in the account, others only see it. */
export default function PeopleSection() {
  const isOwner = useUser().role === "owner";
  const people = usePeople();
  const [isInviting, setInviting] = useState(false);
  const invite = isOwner && (
    <Button primary icon={UserPlus} onClick={() => setInviting(true)}>
      Invite
    </Button>
  );
  return (
    <>
      <Heading title="People" action={invite}>
        Owners have full access. Editors can change links, groups, alerts and API keys. Viewers have
        read-only access.
      </Heading>
      <List label="People" query={people} items={people.data?.items}>
        {(person) => <PersonLine key={person.id} person={person} />}
      </List>
      {isInviting && (
        <Invite<Role>
          title="Invite someone"
          choice={{ label: "Role", name: "role", options: ROLES, first: "editor" }}
          invite={(email, role) => unwrap(api.people.post({ email, role }))}
          list={PEOPLE}
          onClose={() => setInviting(false)}
        />
      )}
    </>
  );
}

function PersonLine({ person }: { person: Colleague }) {
  const user = useUser();
  const { id, email, is_you, is_admin, role } = person;
  // Only administrators can change administrators.
  const canChange = user.role === "owner" && (!is_admin || user.is_admin);
  return (
    <Line
      icon={UserRound}
      title={
        <>
          <b>{email}</b>
          {is_you && <span class="chip">You</span>}
          {is_admin && <span class="chip">Administrator</span>}
        </>
      }
      hint={<PersonState person={person} />}
    >
      {canChange ? <RolePick person={person} /> : <span class="soft">{startUpper(role)}</span>}
      {canChange && !is_you && (
        <PersonMenu
          person={person}
          makeLink={() => unwrap(api.people({ id })["password-link"].post())}
          remove={(query) => complete(api.people({ id }).delete(undefined, { query }))}
          list={PEOPLE}
        />
      )}
    </Line>
  );
}

/** Giving up one's own rights asks first, because only another owner can undo it. */
function RolePick({ person: { id, email, is_you, role, ...person } }: { person: Colleague }) {
  const { oidc } = useSession().data ?? {};
  const [wanted, setWanted] = useState<Role | null>(null);
  const changeTo = (next: Role) => unwrap(api.people({ id }).patch({ role: next }));
  const change = useSave({
    change: changeTo,
    said: (_, next) => `${email} is ${withArticle(next)} now.`,
    undo: () => changeTo(role),
    renews: [PEOPLE],
  });
  const choose = (next: Role) => {
    if (next === role) return;
    if (is_you) setWanted(next);
    else change.mutate(next);
  };
  if (person.role_by_provider) {
    return (
      <span class="soft">
        {startUpper(role)}, by {oidc?.name}
      </span>
    );
  }
  return (
    <>
      <Pick<Role>
        label={`Role of ${email}`}
        button={startUpper(role)}
        value={role}
        options={optionsOf(ROLES)}
        onPick={choose}
      />
      {wanted && (
        <StepDown role={wanted} send={() => changeTo(wanted)} onClose={() => setWanted(null)} />
      )}
    </>
  );
}

const withArticle = (role: Role) => `${role === "viewer" ? "a" : "an"} ${role}`;

const StepDown = ({ role, ...dialog }: Closable & { role: Role; send: () => Promise<unknown> }) => (
  <Ask
    title="Give up being an owner?"
    action={`Become ${withArticle(role)}`}
    danger
    said={`You are ${withArticle(role)} now.`}
    renews={[SESSION, PEOPLE]}
    {...dialog}
  >
    <p>
      You will no longer be able to invite or remove people. Only another owner can make you an
      owner again.
    </p>
  </Ask>
);

/** What a colleague and a person of any account have in common. */
type Subject = Pick<
  Colleague,
  | "email"
  | "has_password"
  | "has_identity"
  | "role_by_provider"
  | "two_factor"
  | "last_seen_at"
  | "keys_made"
  | "links_assigned"
>;

/** What a new person's one-time link is made of; without a token it was sent by e-mail. */
type Invitation = { email: string; token: string | null };

/** Whether and when someone signed in. */
export function PersonState({ person }: { person: Subject }) {
  const { has_password, has_identity, two_factor, last_seen_at } = person;
  const { oidc } = useSession().data ?? {};
  if (!has_password && !has_identity) return <>has not signed in yet</>;
  return (
    <>
      {has_identity && oidc && `signs in with ${oidc.name}, `}
      {two_factor && "two-factor, "}
      {last_seen_at ? "last seen " : "not signed in"}
      {last_seen_at && <Moment at={last_seen_at} />}
    </>
  );
}

type InviteProps<T extends string> = Closable & {
  title: string;
  choice: { label: string; name: string; options: readonly T[]; first: T };
  invite: (email: string, chosen: T) => Promise<Invitation>;
  /** Query key of the list that shows the person. */
  list: string[];
};

/** Creates a user and shows the link for setting a password. */
export const Invite = <T extends string>(props: InviteProps<T>) => {
  const { title, choice, invite, list, onClose } = props;
  return (
    <Ask
      title={title}
      action="Create invitation"
      send={(form) => {
        const { email, [choice.name]: chosen } = textsIn(form, "email", choice.name);
        return invite(email!, chosen as T);
      }}
      result={(made) => <PasswordLink page="invitation" invitation={made} onClose={onClose} />}
      renews={[list]}
      onClose={onClose}
    >
      <TextField label="E-mail" type="email" name="email" required autoComplete="off" />
      <SelectField
        label={choice.label}
        name={choice.name}
        value={choice.first}
        options={optionsOf(choice.options)}
      />
    </Ask>
  );
};

type PersonProps = {
  person: Subject;
  makeLink: () => Promise<Invitation>;
  /** Not for oneself. */
  remove: false | ((query: Removal) => Promise<void>);
  /** Query key of the list that shows the person. */
  list: string[];
};

/** What can be done with someone's access. */
export function PersonMenu({ person, makeLink, remove, list }: PersonProps) {
  const [task, setTask] = useState<"reset" | "remove" | null>(null);
  const close = () => setTask(null);
  const arePasswordsOff = useSession().data?.oidc?.only === true;
  return (
    <>
      <Menu
        label={`More for ${person.email}`}
        items={[
          !arePasswordsOff && {
            label: "New password link",
            icon: KeyRound,
            onSelect: () => setTask("reset"),
          },
          remove && {
            label: "Remove",
            icon: Trash2,
            danger: true,
            onSelect: () => setTask("remove"),
          },
        ]}
      />
      {task === "reset" && <NewLink person={person} makeLink={makeLink} onClose={close} />}
      {task === "remove" && remove && (
        <RemovePerson person={person} remove={remove} list={list} onClose={close} />
      )}
    </>
  );
}

type NewLinkProps = Closable & Pick<PersonProps, "person" | "makeLink">;

/** Creates a password link, after confirmation that the person's sessions end. */
const NewLink = ({ person, makeLink, onClose }: NewLinkProps) => (
  <Ask
    title="Create a new password link?"
    action="Sign out and create link"
    danger
    send={makeLink}
    result={(made) => (
      <PasswordLink
        page={person.has_password ? "password" : "invitation"}
        invitation={made}
        onClose={onClose}
      />
    )}
    onClose={onClose}
  >
    <p>
      <b>{person.email}</b>
    </p>
    <p>
      This signs them out everywhere. The link works once, within 30 minutes.
      {person.two_factor && " They also need a code from their app or a recovery code."}
    </p>
  </Ask>
);

type PasswordLinkProps = Closable & {
  page: "invitation" | "password";
  invitation: Invitation;
};

/** Anyone who has the link can sign in. The fragment of a URL is not sent to servers, so it reaches no log. */
const PasswordLink = ({ page, invitation: { email, token }, onClose }: PasswordLinkProps) =>
  token === null ? (
    <ShownOnce title={`A link is on its way to ${email}`} action="Close" onClose={onClose}>
      <p>
        It works once, within {page === "invitation" ? "7 days" : "30 minutes"}. If it does not
        arrive, check the address, or ask an administrator whether the mail server works.
      </p>
    </ShownOnce>
  ) : (
    <ShownOnce title={`A link for ${email}`} action="I have copied it" onClose={onClose}>
      <p>Send it to them privately. It works once, within 30 minutes, and is not shown again.</p>
      <Copyable label="Password link" value={absolute(`/${page}#token=${token}`)} rows={2} />
    </ShownOnce>
  );

/** What happens to what the person made, and to what is assigned to them. */
export type Removal = { revoke_keys: boolean; assign_to?: string };

type RemoveProps = Closable & {
  person: Subject;
  remove: (query: Removal) => Promise<void>;
  list: string[];
};

/** Also asks whether to revoke the API keys that the person created. */
const RemovePerson = ({ person, remove, list, onClose }: RemoveProps) => {
  const isAsked = person.links_assigned > 0;
  const others = (usePeople().data?.items ?? []).filter(({ email }) => email !== person.email);
  return (
    <Ask
      title="Remove this person?"
      action="Remove"
      danger
      send={(form) => {
        const assignTo = others.find(({ email }) => email === form.get("assign_to"));
        return remove({
          revoke_keys: form.has("revoke_keys"),
          ...(assignTo && { assign_to: assignTo.id }),
        });
      }}
      said={`${person.email} was removed.`}
      renews={[list]}
      onClose={onClose}
    >
      <p>
        <b>{person.email}</b>
      </p>
      <p>Their sessions end immediately. What they created stays in the account.</p>
      {person.has_identity && (
        <p>
          If this server adds people who sign in at your provider, they can come back as a new user
          until they are removed there.
        </p>
      )}
      {isAsked && (
        <SelectField
          label={`Assign ${counted(person.links_assigned, "link")} of theirs to`}
          name="assign_to"
          options={[
            { value: "", label: "No one" },
            ...others.map(({ email }) => ({ value: email, label: email })),
          ]}
        />
      )}
      {person.keys_made > 0 && (
        <CheckField
          label={`Also revoke ${counted(person.keys_made, "API key")} they created`}
          name="revoke_keys"
        />
      )}
      <p>
        API keys that they know still work unless you rotate or revoke them under{" "}
        <a href="/settings/keys">API keys</a>.
      </p>
    </Ask>
  );
};
