import { KeyRound, Link2, LogOut } from "lucide-preact";
import type { ComponentChildren } from "preact";
import { Mark } from "./brand.tsx";
import { Insecure } from "./insecure.tsx";
import { OwnTrouble } from "./own-trouble.tsx";

const PLACES = [
  { href: "/links", name: "Links", Icon: Link2 },
  { href: "/keys", name: "API keys", Icon: KeyRound },
];

type ShellProps = {
  path: string;
  email: string;
  version: string | null;
  insecure: boolean;
  onSignOut: () => void;
  children: ComponentChildren;
};

/** The frame of every page of a signed-in user. */
export function Shell({ path, email, version, insecure, onSignOut, children }: ShellProps) {
  return (
    <div class="shell">
      <a class="skip" href="#main">
        Skip to content
      </a>
      <header class="side">
        <a class="brand" href="/links">
          <Mark />
          Stillup
        </a>
        <Places path={path} />
        <div class="who">
          <p class="email" title={email}>
            {email}
          </p>
          <button type="button" class="plain" onClick={onSignOut}>
            <LogOut aria-hidden="true" />
            Sign out
          </button>
          {version && <p class="version">Stillup {version}</p>}
        </div>
      </header>
      <main id="main" tabIndex={-1}>
        {insecure && <Insecure />}
        <OwnTrouble />
        {children}
      </main>
    </div>
  );
}

const Places = ({ path }: { path: string }) => (
  <nav aria-label="Main">
    {PLACES.map(({ href, name, Icon }) => (
      <a key={href} href={href} aria-current={isAt(path, href) ? "page" : undefined}>
        <Icon aria-hidden="true" />
        {name}
      </a>
    ))}
  </nav>
);

const isAt = (path: string, href: string) => path === href || path.startsWith(`${href}/`);
