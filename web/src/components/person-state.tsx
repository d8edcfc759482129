import { ShieldCheck } from "lucide-preact";
import type { Person } from "../lib/admin.ts";
import { Moment } from "./moment.tsx";

type Known = Pick<Person, "has_password" | "two_factor" | "last_seen_at">;

/** How somebody signs in, and when they last did. */
export function PersonState({ person }: { person: Known }) {
  const { has_password, two_factor, last_seen_at } = person;
  if (!has_password) return <>has not set a password yet</>;
  return (
    <>
      {two_factor && (
        <>
          <ShieldCheck aria-hidden="true" /> two-factor,{" "}
        </>
      )}
      {last_seen_at ? (
        <>
          last seen <Moment at={last_seen_at} />
        </>
      ) : (
        "not signed in"
      )}
    </>
  );
}
