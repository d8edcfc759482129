import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";

type SectionProps = { title: string; about?: ComponentChildren; children: ComponentChildren };

/** One matter of a page of settings: what it is on the left, what can be done on the right. */
export function Section({ title, about, children }: SectionProps) {
  const id = useId();
  return (
    <section class="matter" aria-labelledby={id}>
      <header>
        <h2 id={id}>{title}</h2>
        {about && <p class="hint">{about}</p>}
      </header>
      <div class="body">{children}</div>
    </section>
  );
}
