import type { LucideIcon } from "lucide-preact";
import type { ComponentChildren, ComponentProps } from "preact";
import { useEffect, useReducer } from "preact/hooks";
import { absoluteTime, lastingTime, relativeTime } from "../lib/format.ts";
import type { Group } from "../lib/groups.ts";

type IconButtonProps = Omit<ComponentProps<"button">, "label" | "icon"> & {
  /** What it does to what, for those who cannot see the icon. */
  label: string;
  icon: LucideIcon;
};

export const IconButton = ({ label, icon: Icon, ...button }: IconButtonProps) => (
  <button type="button" class="icon" aria-label={label} {...button}>
    <Icon aria-hidden="true" />
  </button>
);

/** One entry of a `<dl>`. */
export const Fact = ({ name, children }: { name: string; children: ComponentChildren }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
);

/** A group as people tell it from others: its colour and its name. */
export const GroupName = ({ group: { name, color } }: { group: Pick<Group, "name" | "color"> }) => (
  <span class="group-name" title={name}>
    <span class="dot" style={{ background: color }} />
    <span>{name}</span>
  </span>
);

const REFRESH_MS = 20_000;

/** A time as people say it; the exact one on hovering. */
export function Moment({ at }: { at: string }) {
  const [, refresh] = useReducer((count: number) => count + 1, 0);
  useEffect(() => {
    const timer = setInterval(() => refresh(undefined), REFRESH_MS);
    return () => clearInterval(timer);
  }, []);
  return (
    <time dateTime={at} title={absoluteTime(at)}>
      {relativeTime(at, Date.now())}
    </time>
  );
}

const SINCE_MS = 20_000;

/** How long something has been so; since when exactly, on hovering. */
export function Since({ at }: { at: string }) {
  const [, refresh] = useReducer((count: number) => count + 1, 0);
  useEffect(() => {
    const timer = setInterval(() => refresh(undefined), SINCE_MS);
    return () => clearInterval(timer);
  }, []);
  return (
    <time class="since" dateTime={at} title={`Since ${absoluteTime(at)}`}>
      {lastingTime(at, Date.now())}
    </time>
  );
}
