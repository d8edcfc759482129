import { LockOpen } from "lucide-preact";

const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/** Warns wherever somebody could listen; on the machine itself nobody can. */
export function Insecure() {
  if (LOOPBACK.test(location.hostname)) return null;
  return (
    <div class="notice notice-warn">
      <LockOpen aria-hidden="true" />
      <p>
        Passwords and keys may be read on their way here: this installation has no https address.
        Put it behind HTTPS and set <code>STILLUP_PUBLIC_URL</code> to that address.
      </p>
    </div>
  );
}
