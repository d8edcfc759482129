import {
  Archive,
  Ban,
  CircleCheck,
  CirclePause,
  CircleX,
  Clock,
  Layers,
  LoaderCircle,
  type LucideIcon,
  RotateCw,
} from "lucide-preact";
import type { DeliveryStatus as Status } from "../lib/deliveries.ts";
import { STATUS_WORDS } from "../lib/delivery-words.ts";

const LOOKS: Record<Status, { Icon: LucideIcon; look: string }> = {
  pending: { Icon: Clock, look: "waiting" },
  delivering: { Icon: LoaderCircle, look: "checking" },
  succeeded: { Icon: CircleCheck, look: "active" },
  failed: { Icon: RotateCw, look: "unknown" },
  exhausted: { Icon: CircleX, look: "dead" },
  cancelled: { Icon: Ban, look: "calm" },
  paused: { Icon: CirclePause, look: "calm" },
  expired: { Icon: Archive, look: "dead" },
  digested: { Icon: Layers, look: "calm" },
};

/** Told by word, shape and colour, so that none of them is needed alone. */
export function DeliveryStatus({ of }: { of: Status }) {
  const { Icon, look } = LOOKS[of];
  const { word, meaning } = STATUS_WORDS[of];
  return (
    <span class={`status status-${look}`} title={meaning}>
      <Icon aria-hidden="true" />
      {word}
    </span>
  );
}
