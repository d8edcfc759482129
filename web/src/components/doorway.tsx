import type { ComponentChildren } from "preact";
import { useTitle } from "../lib/title.ts";
import { Mark } from "./brand.tsx";
import { Insecure } from "./insecure.tsx";

type DoorwayProps = { title: string; insecure: boolean; children: ComponentChildren };

/** The frame of the pages before the dashboard: set-up, sign-in, password. */
export function Doorway({ title, insecure, children }: DoorwayProps) {
  useTitle(title);
  return (
    <div class="doorway">
      <header class="brand">
        <Mark />
        Stillup
      </header>
      <main>
        {insecure && <Insecure />}
        <div class="card">
          <h1>{title}</h1>
          {children}
        </div>
      </main>
    </div>
  );
}
