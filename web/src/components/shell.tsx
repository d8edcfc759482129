import {
  CircleHelp,
  FolderOpen,
  Gauge,
  History,
  KeyRound,
  Link2,
  LogOut,
  Menu,
  ScrollText,
  Settings2,
  Unplug,
  UserRound,
  UsersRound,
  Webhook,
} from "lucide-preact";
import type { ComponentChildren } from "preact";
import { useCallback, useEffect, useState } from "preact/hooks";
import {
  areKeysOn,
  PLACES_BY_KEY,
  switchKeys,
  useFocusKept,
  useShortcuts,
} from "../lib/keyboard.ts";
import type { Session } from "../lib/session.ts";
import { Dialog } from "./dialog.tsx";
import { Insecure, Mark } from "./doorway.tsx";
import { FailedSignIns, OwnTrouble } from "./notices.tsx";

const WORK = [
  { href: "/", name: "Overview", Icon: Gauge },
  { href: "/links", name: "Links", Icon: Link2 },
  { href: "/groups", name: "Groups", Icon: FolderOpen },
  { href: "/history", name: "History", Icon: History },
  { href: "/webhooks", name: "Webhooks", Icon: Webhook },
  { href: "/keys", name: "API keys", Icon: KeyRound },
];
/** Rarely used pages. */
const UPKEEP = [
  { href: "/people", name: "People", Icon: UsersRound },
  { href: "/activity", name: "Activity", Icon: ScrollText },
  { href: "/account", name: "Account", Icon: UserRound },
];
const FOR_ADMINISTRATORS = { href: "/admin", name: "Administration", Icon: Settings2 };

type ShellProps = Pick<Session, "user" | "version" | "insecure" | "failed_sign_ins"> & {
  path: string;
  /** Whether the next page is loading. */
  isLoading: boolean;
  /** Whether live updates are interrupted. */
  isDown: boolean;
  onSignOut: () => void;
  children: ComponentChildren;
};

/** The frame of every page with a session. */
export function Shell(props: ShellProps) {
  const { path, user, version, insecure, isLoading, isDown, onSignOut, children } = props;
  const { failed_sign_ins: failed } = props;
  const [isOpen, setOpen] = useState(false);
  const [isHelping, setHelping] = useState(false);
  const help = useCallback(() => setHelping(true), []);
  useShortcuts(help);
  useFocusKept();
  useEffect(() => setOpen(false), [path]);
  return (
    <div class="shell">
      <a class="skip" href="#main">
        Skip to content
      </a>
      <header class="side">
        <a class="brand" href="/">
          <Mark />
          Stillup
        </a>
        <button
          type="button"
          class="menu"
          aria-expanded={isOpen}
          aria-controls="places"
          onClick={() => setOpen(!isOpen)}
        >
          <Menu aria-hidden="true" />
          Menu
        </button>
        <div id="places" class={isOpen ? "places open" : "places"}>
          <Places path={path} isAdmin={user?.is_admin === true} />
          <div class="who">
            <p class="email" title={user?.email}>
              {user?.email}
            </p>
            <button type="button" class="plain" onClick={help}>
              <CircleHelp aria-hidden="true" />
              Help
              <kbd>?</kbd>
            </button>
            <button type="button" class="plain" onClick={onSignOut}>
              <LogOut aria-hidden="true" />
              Sign out
            </button>
            {version && <p class="version">Stillup {version}</p>}
          </div>
        </div>
      </header>
      <main id="main" tabIndex={-1} aria-busy={isLoading}>
        {insecure && <Insecure />}
        {failed && <FailedSignIns failed={failed} />}
        <OwnTrouble />
        <Disconnected isDown={isDown} />
        {children}
      </main>
      {isHelping && <Shortcuts onClose={() => setHelping(false)} />}
    </div>
  );
}

/** A live region has to exist before its content. */
const Disconnected = ({ isDown }: { isDown: boolean }) => (
  <div role="status" class="own-trouble">
    {isDown && (
      <p class="notice notice-warn">
        <Unplug aria-hidden="true" />
        The server cannot be reached, so this data may be outdated. Reconnecting…
      </p>
    )}
  </div>
);

const Places = ({ path, isAdmin }: { path: string; isAdmin: boolean }) => (
  <nav aria-label="Main">
    <Ways places={WORK} path={path} />
    <Ways places={isAdmin ? [...UPKEEP, FOR_ADMINISTRATORS] : UPKEEP} path={path} />
  </nav>
);

const Ways = ({ places, path }: { places: typeof WORK; path: string }) => (
  <ul>
    {places.map(({ href, name, Icon }) => (
      <li key={href}>
        <a href={href} aria-current={isAt(path, href) ? "page" : undefined}>
          <Icon aria-hidden="true" />
          {name}
        </a>
      </li>
    ))}
  </ul>
);

const isAt = (path: string, href: string) =>
  path === href || (href !== "/" && path.startsWith(`${href}/`));

const KEYS = [
  { keys: ["/"], does: "Search in links" },
  { keys: ["n"], does: "Add links" },
  { keys: ["x"], does: "Select the link that has the focus" },
  { keys: ["Esc"], does: "Close, or clear the selection" },
  { keys: ["?"], does: "Show this help" },
];

const Shortcuts = ({ onClose }: { onClose: () => void }) => (
  <Dialog title="Keyboard and help" onClose={onClose}>
    <dl class="shortcuts">
      {KEYS.map(({ keys, does }) => (
        <Shortcut key={does} keys={keys} does={does} />
      ))}
      {Object.entries(PLACES_BY_KEY).map(([key, { name }]) => (
        <Shortcut key={key} keys={["g", key]} does={`Go to ${name}`} />
      ))}
    </dl>
    <label class="choice">
      <input
        type="checkbox"
        defaultChecked={areKeysOn()}
        onChange={(event) => switchKeys(event.currentTarget.checked)}
      />
      Use these keys
    </label>
    <p class="hint">
      Everything here can be done by programs too: see the <a href="/docs">API reference</a>.
    </p>
    <footer>
      <button type="button" onClick={onClose}>
        Close
      </button>
    </footer>
  </Dialog>
);

const Shortcut = ({ keys, does }: { keys: string[]; does: string }) => (
  <div>
    <dt>
      {keys.map((key, i) => (
        <span key={key}>
          {i > 0 && " then "}
          <kbd>{key}</kbd>
        </span>
      ))}
    </dt>
    <dd>{does}</dd>
  </div>
);
