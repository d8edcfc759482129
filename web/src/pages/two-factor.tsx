import { ShieldCheck, ShieldOff } from "lucide-preact";
import { useState } from "preact/hooks";
import { Section } from "../components/section.tsx";
import { Loaded } from "../components/states.tsx";
import { type TwoFactor, useTwoFactor } from "../lib/account.ts";
import { BeginTwoFactor } from "./begin-two-factor.tsx";
import { EndTwoFactor, RenewRecoveryCodes } from "./change-two-factor.tsx";

type Task = "begin" | "end" | "renew";

/** Few enough that new ones are wanted. */
const FEW_CODES = 3;

export function TwoFactorSection() {
  const factor = useTwoFactor();
  const [task, setTask] = useState<Task | null>(null);
  const close = () => setTask(null);
  return (
    <Section
      title="Two-factor sign-in"
      about="A code from an app on your phone in addition to the password. A stolen password alone is not enough to sign in."
    >
      <Loaded query={factor}>{(state) => <State state={state} onTask={setTask} />}</Loaded>
      {task === "begin" && <BeginTwoFactor onClose={close} />}
      {task === "end" && <EndTwoFactor onClose={close} />}
      {task === "renew" && <RenewRecoveryCodes onClose={close} />}
    </Section>
  );
}

function State({ state, onTask }: { state: TwoFactor; onTask: (task: Task) => void }) {
  if (!state.is_on) {
    return (
      <>
        <p class="factor">
          <ShieldOff aria-hidden="true" />
          Off. The password alone signs you in.
        </p>
        <p class="actions">
          <button type="button" class="primary" onClick={() => onTask("begin")}>
            Turn on
          </button>
        </p>
      </>
    );
  }
  return (
    <>
      <p class="factor factor-on">
        <ShieldCheck aria-hidden="true" />
        On. Signing in takes a code as well.
      </p>
      <CodesLeft count={state.recovery_codes_left} />
      <p class="actions">
        <button type="button" onClick={() => onTask("renew")}>
          New recovery codes
        </button>
        <button type="button" onClick={() => onTask("end")}>
          Turn off
        </button>
      </p>
    </>
  );
}

const CodesLeft = ({ count }: { count: number }) => (
  <p class={count <= FEW_CODES ? "hint few" : "hint"}>
    {count === 1 ? "1 recovery code is left." : `${count} recovery codes are left.`}
    {count <= FEW_CODES && " Make new ones while you can sign in."}
  </p>
);
