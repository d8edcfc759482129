import type { LucideIcon } from "lucide-preact";
import type { ComponentChildren, ComponentProps } from "preact";

type ButtonProps = Omit<ComponentProps<"button">, "icon"> & {
  icon?: LucideIcon;
  /** The one main action of a view. */
  primary?: boolean;
  quiet?: boolean;
  danger?: boolean;
  /** The key that does the same, shown after the text. */
  keys?: string;
  /** A ring replaces the icon, and clicks do nothing. */
  busy?: boolean;
  /** Why it can't be used now. */
  off?: string | undefined;
  /** Makes it a link that looks like a button. */
  href?: string;
  download?: boolean;
  children: ComponentChildren;
};

/** A button of 32 px, or a link with its looks. */
export function Button(props: ButtonProps) {
  const {
    icon: Icon,
    primary,
    quiet,
    danger,
    keys,
    busy,
    off,
    href,
    download,
    children,
    ...rest
  } = props;
  const looks = { prim: primary, quiet, danger, busy };
  const names = Object.entries(looks).flatMap(([name, isOn]) => (isOn ? [name] : []));
  const look = ["btn", ...names, rest.class].filter(Boolean).join(" ");
  const inside = (
    <>
      {busy ? <Ring /> : Icon && <Icon class="i" aria-hidden="true" />}
      <span>{children}</span>
      {keys && <kbd aria-hidden="true">{keys}</kbd>}
    </>
  );
  if (href && !off) {
    return (
      <a class={look} href={href} download={download} title={rest.title} onClick={undefined}>
        {inside}
      </a>
    );
  }
  return (
    <button
      type="button"
      {...rest}
      {...(off && { disabled: true, title: off })}
      class={look}
      aria-busy={busy || undefined}
      onClick={busy ? stop : rest.onClick}
    >
      {inside}
    </button>
  );
}

/** A busy button does not submit its form again either. */
const stop = (event: Event) => event.preventDefault();

const Ring = () => (
  <svg class="i ring" viewBox="0 0 16 16" aria-hidden="true">
    <circle cx="8" cy="8" r="6" />
  </svg>
);

type IconButtonProps = Omit<ComponentProps<"button">, "icon" | "label"> & {
  icon: LucideIcon;
  /** What it does, for screen readers and as its title. */
  label: string;
  keys?: string;
  /** Why it can't be used now. */
  off?: string | undefined;
  href?: string;
  target?: string;
};

/** An icon without text; its label is its title as well. */
export function IconButton(props: IconButtonProps) {
  const { icon: Icon, label, keys, off, href, target, ...rest } = props;
  const title = off ?? (keys ? `${label} (${keys})` : label);
  const look = rest.class ? `ib ${rest.class}` : "ib";
  const icon = <Icon class="i" aria-hidden="true" />;
  if (href) {
    const rel = target ? "noopener noreferrer nofollow" : undefined;
    return (
      <a class={look} href={href} target={target} rel={rel} aria-label={label} title={title}>
        {icon}
      </a>
    );
  }
  return (
    <button type="button" aria-label={label} title={title} disabled={!!off} {...rest} class={look}>
      {icon}
    </button>
  );
}

type SegOption<T extends string> = {
  value: T;
  label: string;
  /** Null keeps the place of a number that is still loading. */
  count?: number | null;
  mark?: ComponentChildren;
};

type SegProps<T extends string> = {
  label: string;
  value: T;
  onChange: (value: T) => void;
  options: readonly SegOption<T>[];
  tiny?: boolean;
};

/** A choice of two to five values, of which one is always on. */
export const Seg = <T extends string>({ label, value, onChange, options, tiny }: SegProps<T>) => (
  <div
    class={`seg ${tiny ? "tiny" : ""} ${options.some(({ count }) => count === null) ? "waiting" : ""}`}
    role="group"
    aria-label={label}
  >
    {options.map((option) => (
      <button
        key={option.value}
        type="button"
        aria-pressed={option.value === value}
        onClick={() => onChange(option.value)}
      >
        {option.mark}
        {option.label}
        {option.count !== undefined && <em>{option.count?.toLocaleString("en") ?? "–"}</em>}
      </button>
    ))}
  </div>
);
