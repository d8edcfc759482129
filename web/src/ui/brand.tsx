import { LockOpen } from "lucide-preact";

export const Mark = () => (
  <svg class="mark" viewBox="0 0 32 32" aria-hidden="true">
    <rect width="32" height="32" rx="9" />
    <path d="M7 17h4.2l2.6-7 4.6 12 2.4-5H25" />
  </svg>
);

const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/** A connection to the machine itself cannot be intercepted. */
export function Insecure() {
  if (LOOPBACK.test(location.hostname)) return null;
  return (
    <div class="notice">
      <LockOpen class="i" aria-hidden="true" />
      <p>
        Passwords and keys can be intercepted, because this installation has no HTTPS address. Put
        it behind HTTPS and set <code>STILLUP_PUBLIC_URL</code> to that address.
      </p>
    </div>
  );
}
