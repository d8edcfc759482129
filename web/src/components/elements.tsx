import type { LucideIcon } from "lucide-preact";
import type { ComponentChildren, ComponentProps } from "preact";
import { useEffect, useReducer } from "preact/hooks";
import { absoluteTime, lastingTime, relativeTime } from "../lib/format.ts";
import type { Group } from "../lib/groups.ts";

type IconButtonProps = Omit<ComponentProps<"button">, "label" | "icon"> & {
  /** The action and its object, for screen readers. */
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

export const GroupName = ({ group: { name, color } }: { group: Pick<Group, "name" | "color"> }) => (
  <span class="group-name" title={name}>
    <span class="dot" style={{ background: color }} />
    <span>{name}</span>
  </span>
);

/** A relative time, with the exact one as its title. */
export function Moment({ at }: { at: string }) {
  useRefresh();
  return (
    <time dateTime={at} title={absoluteTime(at)}>
      {relativeTime(at, Date.now())}
    </time>
  );
}

/** A duration up to now, with its start as its title. */
export function Since({ at }: { at: string }) {
  useRefresh();
  return (
    <time class="since" dateTime={at} title={`Since ${absoluteTime(at)}`}>
      {lastingTime(at, Date.now())}
    </time>
  );
}

const REFRESH_MS = 20_000;

/** Renders again regularly, because relative times change. */
function useRefresh() {
  const [, refresh] = useReducer((count: number) => count + 1, 0);
  useEffect(() => {
    const timer = setInterval(() => refresh(undefined), REFRESH_MS);
    return () => clearInterval(timer);
  }, []);
}

type Chip = {
  name: string;
  href: string;
  isOn: boolean;
  title?: string | undefined;
  icon?: ComponentChildren;
  /** Null keeps the place of a count that is still loading. */
  count?: number | null | undefined;
};

/** Choices as links, so that each has an address. */
export const Chips = ({ label, chips }: { label: string; chips: Chip[] }) => (
  <nav class="chips" aria-label={label}>
    {chips.map(({ name, href, isOn, title, icon, count }) => (
      <a key={name} href={href} title={title} aria-current={isOn ? "true" : undefined}>
        {icon}
        {name} {count !== undefined && <span class="count">{count?.toLocaleString("en")}</span>}
      </a>
    ))}
  </nav>
);

type PillProps = { Icon: LucideIcon; look: string; title?: string; children: ComponentChildren };

/** A status as word, shape and colour. */
export const Pill = ({ Icon, look, title, children }: PillProps) => (
  <span class={`status ${look}`} title={title}>
    <Icon aria-hidden="true" />
    {children}
  </span>
);
