import { ClockAlert, type LucideIcon, WifiOff } from "lucide-preact";
import type { ComponentChildren } from "preact";
import { type Monitor, useMonitor } from "../lib/monitor.ts";
import { absoluteTime, clockTime } from "../lib/time.ts";

/** Says when the trouble is the monitor's own, so that nobody looks for it in the links. */
export function OwnTrouble() {
  const { data: monitor } = useMonitor();
  return (
    <div class="own-trouble" role="status">
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
