import { useMutation, useQueryClient } from "@tanstack/preact-query";
import { ShieldAlert } from "lucide-preact";
import { counted } from "../lib/counted.ts";
import { dismissFailedSignIns, SESSION, type Session } from "../lib/session.ts";
import { absoluteTime, clockTime } from "../lib/time.ts";

type Failed = NonNullable<Session["failed_sign_ins"]>;

/** What was tried in the person's name before they signed in. */
export function FailedSignIns({ failed }: { failed: Failed }) {
  const client = useQueryClient();
  const dismissal = useMutation({
    mutationFn: dismissFailedSignIns,
    onSettled: () => client.invalidateQueries({ queryKey: SESSION }),
  });
  return (
    <div class="notice notice-warn" role="status">
      <ShieldAlert aria-hidden="true" />
      <p>
        {counted(failed.count, "failed sign-in")} to your account since{" "}
        <time dateTime={failed.since} title={absoluteTime(failed.since)}>
          {clockTime(failed.since, Date.now())}
        </time>
        {failed.networks.length > 0 && <>, from {placesIn(failed)}</>}. If this was not you,{" "}
        <a href="/account">set a new password or turn on two-factor sign-in</a>.
      </p>
      <button
        type="button"
        class="plain"
        disabled={dismissal.isPending}
        onClick={() => dismissal.mutate()}
      >
        Dismiss
      </button>
    </div>
  );
}

/** "192.0.2.1, 2001:db8::/64 and others" */
function placesIn({ networks, has_more }: Failed): string {
  const places = has_more ? [...networks, "others"] : networks;
  return new Intl.ListFormat("en").format(places);
}
