import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";

export type HeadingProps = {
  title: ComponentChildren;
  action?: ComponentChildren;
  children?: ComponentChildren;
};

/** The heading of a page, one sentence about it, and its main action. */
export const Heading = ({ title, action, children }: HeadingProps) => (
  <div class="lead">
    <div>
      <h1>{title}</h1>
      {children && <p>{children}</p>}
    </div>
    {action}
  </div>
);

/** A term of a list of facts, with its value. */
export const Fact = ({ name, children }: { name: string; children: ComponentChildren }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
);

type SectionProps = {
  title: string;
  hint?: ComponentChildren;
  /** What is at the right of the title. */
  action?: ComponentChildren;
  class?: string;
  children: ComponentChildren;
};

/** A part of a page below its title. */
export function Section({ title, hint, action, children, ...look }: SectionProps) {
  const id = useId();
  return (
    <section aria-labelledby={id} {...look}>
      <div class="sec">
        <h2 id={id}>{title}</h2>
        {hint && <span class="hint">{hint}</span>}
        {action && <span class="gap" />}
        {action}
      </div>
      {children}
    </section>
  );
}
