import { useMutation, useQueryClient } from "@tanstack/preact-query";
import {
  ClockAlert,
  HardDrive,
  type LucideIcon,
  ShieldAlert,
  Unplug,
  WifiOff,
} from "lucide-preact";
import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { ErrorBoundary, lazy, useLocation } from "preact-iso";
import { useReadAhead } from "../data/ahead.ts";

import { api, complete } from "../data/api.ts";
import { useAskBeforeLeaving } from "../data/browser.ts";
import { counted } from "../data/format.ts";
import { useIsDown } from "../data/live.ts";
import { useMonitor } from "../data/monitor.ts";
import { SESSION, type Session, useFirstKey, useUser, useVisit } from "../data/session.ts";
import { Insecure } from "../ui/brand.tsx";
import { Button } from "../ui/button.tsx";
import { Moment } from "../ui/moment.tsx";

import { BarFrame } from "./bar.tsx";
import { useFocusKept, useScrollKept } from "./kept.ts";
import { useFrameKeys } from "./keys.ts";
import { loadEarly } from "./missing.tsx";
import { Sidebar, Tabs } from "./navigation.tsx";
import { PLACES } from "./places.ts";

const loadPalette = () => import("./palette.tsx");
const Palette = lazy(loadPalette);
loadEarly(loadPalette);
const Help = lazy(() => import("./help.tsx"));

type FrameProps = {
  session: Session;
  /** Whether the next page is loading. */
  isLoading: boolean;
  children: ComponentChildren;
};

/** The frame of every page with a session. */
export function Frame({ session, isLoading, children }: FrameProps) {
  const [over, setOver] = useState<"palette" | "help" | null>(null);
  const openPalette = () => setOver("palette");
  const openHelp = () => setOver("help");
  const close = () => setOver(null);
  useOwnKeys(openPalette, openHelp);
  useFocusKept();
  useScrollKept();
  useAskBeforeLeaving(useFirstKey() !== null);
  useVisit(useLocation().path);
  useReadAhead();
  return (
    <>
      <a class="skip" href="#main">
        Skip to content
      </a>
      <div class="shell">
        <Sidebar onSearch={openPalette} onHelp={openHelp} />
        <BarFrame>
          <main id="main" tabIndex={-1} aria-busy={isLoading}>
            <Notices session={session} />
            {children}
          </main>
        </BarFrame>
        <Tabs />
      </div>
      <ErrorBoundary>
        {over === "palette" && <Palette onClose={close} onHelp={openHelp} />}
        {over === "help" && <Help onClose={close} />}
      </ErrorBoundary>
    </>
  );
}

function useOwnKeys(onSearch: () => void, onHelp: () => void) {
  const { route } = useLocation();
  useFrameKeys({
    "Ctrl+k": onSearch,
    "?": onHelp,
    "/": () => {
      const field = document.querySelector<HTMLElement>("[data-search]");
      if (field?.checkVisibility()) field.focus();
      else onSearch();
    },
    ...Object.fromEntries(
      Object.values(PLACES).map(({ key, href }) => [`g ${key}`, () => route(href)]),
    ),
  });
}

/** What is wrong with the connection, the installation and the account, below the bar of every page. */
const Notices = ({ session }: { session: Session }) => (
  <>
    <Offline />
    {session.insecure && <Insecure />}
    {session.failed_sign_ins && <FailedSignIns failed={session.failed_sign_ins} />}
    <OwnTrouble />
  </>
);

/** A live region has to exist before its content. */
function Offline() {
  const isDown = useIsDown();
  const [since, setSince] = useState("");
  useEffect(() => {
    if (isDown) setSince(new Date().toISOString());
  }, [isDown]);
  return (
    <div role="status">
      {isDown && since && (
        <p class="offline line">
          <Unplug class="i" aria-hidden="true" />
          <span>
            Connection lost at <Moment at={since} clock />. Data may be out of date. Reconnecting…
          </span>
        </p>
      )}
    </div>
  );
}

type Failed = NonNullable<Session["failed_sign_ins"]>;

/** Failed attempts since the last sign-in. */
function FailedSignIns({ failed }: { failed: Failed }) {
  const client = useQueryClient();
  const dismissal = useMutation({
    mutationFn: () => complete(api.session["failed-sign-ins"].delete()),
    onSettled: () => client.invalidateQueries({ queryKey: SESSION }),
  });
  const dismiss = (
    <Button quiet busy={dismissal.isPending} onClick={() => dismissal.mutate()}>
      Dismiss
    </Button>
  );
  return (
    <Notice icon={ShieldAlert} isLive action={dismiss}>
      {counted(failed.count, "failed sign-in")} to your account since{" "}
      <Moment at={failed.since} clock />
      {failed.networks.length > 0 && <>, from {placesIn(failed)}</>}. If this was not you,{" "}
      <a href="/settings/profile">set a new password</a> or{" "}
      <a href="/settings/two-factor">turn on two-factor sign-in</a>.
    </Notice>
  );
}

/** "192.0.2.1, 2001:db8::/64 and others" */
function placesIn({ networks, has_more }: Failed): string {
  const places = has_more ? [...networks, "others"] : networks;
  return new Intl.ListFormat("en").format(places);
}

const STOPPED: Partial<Record<string, string>> = {
  disk_full:
    "The disk of this installation is full. You can read and delete; nothing else is saved, and checks are paused until there is more room.",
  database_damaged:
    "The database of this installation is damaged. Nothing is saved, and checks are paused until a backup is restored.",
  data_folder_gone:
    "The data folder of this installation is missing. Nothing is saved, and checks are paused until it is moved back.",
};

const WHAT_TO_DO = "/settings/installation";

/** Problems of the monitor itself, which are not the links' fault. */
function OwnTrouble() {
  const { online, online_since: at, clock, writes_stopped: why } = useMonitor().data ?? {};
  const { is_admin } = useUser();
  const { path } = useLocation();
  const stopped = why && STOPPED[why];
  // That page already says what to do.
  const isKnown = is_admin && path === WHAT_TO_DO;
  const since = at && (
    <>
      {" "}
      since <Moment at={at} clock />
    </>
  );
  return (
    <div role="status">
      {stopped && !isKnown && (
        <Notice icon={HardDrive}>
          {stopped} {is_admin && <a href={WHAT_TO_DO}>See what to do</a>}
        </Notice>
      )}
      {online === "offline" && (
        <Notice icon={WifiOff}>
          This monitor has been offline{since}. Checks are paused until it is back.
        </Notice>
      )}
      {online === "degraded" && (
        <Notice icon={WifiOff}>
          This monitor's connection has been poor{since}. Failed checks do not count until it is
          better.
        </Notice>
      )}
      {clock === "off" && (
        <Notice icon={ClockAlert}>
          This monitor's clock is wrong: correct the system time. Until then, expired certificates
          do not count.
        </Notice>
      )}
    </div>
  );
}

type NoticeProps = {
  icon: LucideIcon;
  isLive?: boolean;
  action?: ComponentChildren;
  children: ComponentChildren;
};

const Notice = ({ icon: Icon, isLive, action, children }: NoticeProps) => (
  <div class="notice" role={isLive ? "status" : undefined}>
    <Icon class="i" aria-hidden="true" />
    <p>{children}</p>
    {action}
  </div>
);
