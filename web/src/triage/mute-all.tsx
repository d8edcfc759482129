import { Bell, BellOff } from "lucide-preact";
import { useState } from "preact/hooks";
import { dayText } from "../data/format.ts";
import { useOff } from "../data/live.ts";
import { Ask, type Closable } from "../frame/ask.tsx";
import { useSave } from "../frame/toast.tsx";
import { TextField } from "../ui/field.tsx";
import type { MenuItem } from "../ui/menu.tsx";
import { inDays, MUTES } from "./decisions.ts";

type UntilProps = Closable & { title?: string; onPick: (until: string) => void };

/** Asks for the day on which a mute ends. */
export const MuteUntil = ({ title = "Mute until", onPick, onClose }: UntilProps) => (
  <Ask
    title={title}
    action="Mute"
    send={async (form) => onPick(new Date(`${form.get("until")}T00:00`).toISOString())}
    onClose={onClose}
  >
    <TextField
      label="Date"
      name="until"
      type="date"
      required
      min={inDays(1).slice(0, 10)}
      max={inDays(365).slice(0, 10)}
    />
  </Ask>
);

/** A group or a site. */
type Mutable = { name: string; muted_until: string | null };

/**
 * How a group or a site is muted with its links: the entries of a menu, and the dialog that one of them opens, which has
 * to be shown outside of the menu.
 */
export function useMuteAll<Of extends Mutable>(
  send: (of: Of, until: string | null) => Promise<unknown>,
) {
  const off = useOff();
  const [asked, ask] = useState<Of | null>(null);
  const save = useSave({
    change: ([of, until]: [Of, string | null]) => send(of, until),
    said: (_, [{ name }, until]) =>
      until ? `${name} is muted until ${dayText(until, Date.now())}.` : `${name} is unmuted.`,
    undo: ([of]) => send(of, of.muted_until),
    renews: [["groups"], ["sites"], ["links"], ["overview"]],
  });
  const items = (of: Of): MenuItem[] => [
    ...MUTES.map(({ label, days }) => ({
      label: `Mute for ${label}`,
      icon: BellOff,
      off,
      onSelect: () => save.mutate([of, inDays(days)]),
    })),
    { label: "Mute until a date…", icon: BellOff, off, onSelect: () => ask(of) },
    ...(of.muted_until
      ? [{ label: "Unmute", icon: Bell, off, onSelect: () => save.mutate([of, null]) }]
      : []),
  ];
  const dialog = asked && (
    <MuteUntil
      title={`Mute ${asked.name} until`}
      onPick={(until) => save.mutate([asked, until])}
      onClose={() => ask(null)}
    />
  );
  return { items, dialog };
}
