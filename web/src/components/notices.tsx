import { useMutation, useQueryClient } from "@tanstack/preact-query";
import { ClockAlert, HardDrive, type LucideIcon, ShieldAlert, WifiOff } from "lucide-preact";
import type { ComponentChildren } from "preact";
import { useLocation } from "preact-iso";
import { absoluteTime, clockTime, counted } from "../lib/format.ts";
import { type Monitor, useMonitor } from "../lib/monitor.ts";
import { dismissFailedSignIns, SESSION, type Session, useUser } from "../lib/session.ts";

type Failed = NonNullable<Session["failed_sign_ins"]>;

/** Failed attempts since the last sign-in. */
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

/** Problems of the monitor itself, which are not the links' fault. */
export function OwnTrouble() {
  const { data: monitor } = useMonitor();
  return (
    <div class="own-trouble" role="status">
      {monitor?.writes_stopped === "disk_full" && (
        <Stopped>
          The disk of this installation is full. You can read and delete; nothing else is saved, and
          checks are paused until there is more room.
        </Stopped>
      )}
      {monitor?.writes_stopped === "database_damaged" && (
        <Stopped>
          The database of this installation is damaged. Nothing is saved, and checks are paused
          until a backup is restored.
        </Stopped>
      )}
      {monitor?.writes_stopped === "data_folder_gone" && (
        <Stopped>
          The data folder of this installation is missing. Nothing is saved, and checks are paused
          until it is moved back.
        </Stopped>
      )}
      {monitor?.online === "offline" && (
        <Notice Icon={WifiOff}>
          This monitor has been offline
          <Since at={monitor.online_since} />. Checks are paused; nothing is judged meanwhile.
        </Notice>
      )}
      {monitor?.online === "degraded" && (
        <Notice Icon={WifiOff}>
          This monitor's connection has been poor
          <Since at={monitor.online_since} />. Checks that fail do not count meanwhile.
        </Notice>
      )}
      {monitor?.clock === "off" && (
        <Notice Icon={ClockAlert}>
          This monitor's clock is wrong. Until it is set right, certificates that have expired are
          not judged.
        </Notice>
      )}
    </div>
  );
}

/** The administration page already says what to do. */
const Stopped = ({ children }: { children: ComponentChildren }) => {
  const { is_admin } = useUser();
  const { path } = useLocation();
  if (is_admin && path === "/admin") return null;
  return (
    <div class="notice notice-warn">
      <HardDrive aria-hidden="true" />
      <p>
        {children}
        {is_admin && (
          <>
            {" "}
            <a href="/admin">See what to do</a>
          </>
        )}
      </p>
    </div>
  );
};

type NoticeProps = { Icon: LucideIcon; children: ComponentChildren };

const Notice = ({ Icon, children }: NoticeProps) => (
  <div class="notice notice-calm">
    <Icon aria-hidden="true" />
    <p>{children}</p>
  </div>
);

const Since = ({ at }: { at: Monitor["online_since"] }) =>
  at && (
    <>
      {" "}
      since{" "}
      <time dateTime={at} title={absoluteTime(at)}>
        {clockTime(at, Date.now())}
      </time>
    </>
  );
