import type { LucideIcon } from "lucide-preact";
import type { ComponentProps } from "preact";

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
