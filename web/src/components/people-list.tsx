import { UserRound } from "lucide-preact";
import { type Colleague, ROLES, type Role } from "../lib/account.ts";
import type { User } from "../lib/session.ts";
import { PersonDeeds, PersonState } from "./person.tsx";

type Deeds = {
  onRole: (person: Colleague, role: Role) => void;
  onReset: (person: Colleague) => void;
  onRemove: (person: Colleague) => void;
};

/** @param user the viewer of the list; owners may change it */
type PeopleListProps = Deeds & { people: Colleague[]; user: User };

export const PeopleList = ({ people, ...rest }: PeopleListProps) => (
  <ul class="rows colleagues" aria-label="People">
    {people.map((person) => (
      <li key={person.id}>
        <UserRound aria-hidden="true" />
        <div class="what">
          <p class="name">
            {person.email} {person.is_you && <span class="tag here">You</span>}{" "}
            {person.is_admin && <span class="tag">Administrator</span>}
          </p>
          <p class="why">
            <PersonState person={person} />
          </p>
        </div>
        <RoleOf person={person} {...rest} />
        {rest.user.role === "owner" && <DeedsFor person={person} {...rest} />}
      </li>
    ))}
  </ul>
);

type RowProps = { person: Colleague } & Omit<PeopleListProps, "people">;

function RoleOf({ person, user, onRole }: RowProps) {
  const isOutOfReach = person.is_admin && !user.is_admin;
  if (user.role !== "owner" || isOutOfReach) return <p class="role">{person.role}</p>;
  return (
    <select
      aria-label={`Role of ${person.email}`}
      value={person.role}
      onChange={({ currentTarget }) => {
        onRole(person, currentTarget.value as Role);
        // The role stays the same until the change is confirmed.
        currentTarget.value = person.role;
      }}
    >
      {ROLES.map((role) => (
        <option key={role} value={role}>
          {role}
        </option>
      ))}
    </select>
  );
}

/** Owners cannot change themselves, and only administrators can change administrators. */
function DeedsFor({ person, user, onReset, onRemove }: RowProps) {
  const isOffered = !person.is_you && (!person.is_admin || user.is_admin);
  return (
    <div class="deeds">
      {isOffered && (
        <PersonDeeds
          email={person.email}
          onReset={() => onReset(person)}
          onRemove={() => onRemove(person)}
        />
      )}
    </div>
  );
}
