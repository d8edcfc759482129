import { useQuery, useQueryClient } from "@tanstack/preact-query";
import { Download, ShieldCheck, ShieldOff } from "lucide-preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { api, type DataOf, unwrap } from "../data/api.ts";
import { absolute } from "../data/base.ts";
import { setSession, useUser } from "../data/session.ts";
import { Ask, type Closable, ShownOnce } from "../frame/ask.tsx";
import { Button } from "../ui/button.tsx";
import { PasswordField, textsIn, useProblems } from "../ui/field.tsx";
import { Loaded } from "../ui/loaded.tsx";
import { CodeField, Copyable, PASSWORD_RULE } from "../ui/secrets.tsx";
import { Heading } from "../ui/section.tsx";

import { ACCOUNT } from "./queries.ts";
import type { Section } from "./settings.tsx";

const factor = api.session["two-factor"];
const useTwoFactor = () =>
  useQuery({ queryKey: [...ACCOUNT, "two-factor"], queryFn: () => unwrap(factor.get()) });

const TASKS = { begin: BeginTwoFactor, end: EndTwoFactor, renew: RenewRecoveryCodes };
type Task = keyof typeof TASKS;

/** At this number, new codes are recommended. */
const FEW_CODES = 3;

export const section: Section = { part: "You", place: 3, name: "Two-factor", icon: ShieldCheck };

/** Whether signing in needs a code, and the recovery codes. */
export default function TwoFactorSection() {
  const state = useTwoFactor();
  const [task, setTask] = useState<Task | null>(null);
  const Task = task && TASKS[task];
  return (
    <>
      <Heading title="Two-factor sign-in">
        A code from an app on your phone in addition to the password. A stolen password alone is not
        enough to sign in.
      </Heading>
      {useUser().proves_at_provider ? (
        <p class="in-place">You sign in without a password, so there is nothing to protect here.</p>
      ) : (
        <Loaded query={state}>{(known) => <State state={known} onTask={setTask} />}</Loaded>
      )}
      {Task && <Task onClose={() => setTask(null)} />}
    </>
  );
}

type StateProps = { state: DataOf<typeof useTwoFactor>; onTask: (task: Task) => void };

function State({ state: { is_on: isOn, recovery_codes_left: left }, onTask }: StateProps) {
  const Icon = isOn ? ShieldCheck : ShieldOff;
  return (
    <ul class="panel lines">
      <li>
        <Icon class={isOn ? "i is-on" : "i"} aria-hidden="true" />
        <div class="what">
          <p>
            <b>{isOn ? "On" : "Off"}</b>
          </p>
          <p class="hint">
            {isOn ? "Signing in requires a code." : "You sign in with your password only."}
          </p>
        </div>
        <Button primary={!isOn} onClick={() => onTask(isOn ? "end" : "begin")}>
          {isOn ? "Turn off" : "Turn on"}
        </Button>
      </li>
      {isOn && (
        <li>
          <span class="i" />
          <div class="what">
            <p>
              <b>Recovery codes</b>
            </p>
            <p class={left <= FEW_CODES ? "hint is-near" : "hint"}>
              {left === 1 ? "1 recovery code is left." : `${left} recovery codes are left.`}
              {left <= FEW_CODES && " Create new ones while you can still sign in."}
            </p>
          </div>
          <Button onClick={() => onTask("renew")}>New recovery codes</Button>
        </li>
      )}
    </ul>
  );
}

const OwnPassword = () => (
  <PasswordField label="Your password" required autoComplete="current-password" />
);

/** Asks for the password, then for a first code, then shows the recovery codes. */
function BeginTwoFactor({ onClose }: Closable) {
  return (
    <Ask
      title="Turn on two-factor sign-in"
      action="Continue"
      send={(form) => unwrap(factor.post(textsIn(form, "password")))}
      result={(begun) => <ConnectApp {...begun} onClose={onClose} />}
      onClose={onClose}
    >
      <p>
        You need an authenticator app on your phone, such as Aegis, 2FAS, Google Authenticator, or a
        password manager that creates codes.
      </p>
      <OwnPassword />
    </Ask>
  );
}

function ConnectApp({ secret, uri, onClose }: Closable & { secret: string; uri: string }) {
  const client = useQueryClient();
  const confirm = async (form: FormData) => {
    const confirmed = await unwrap(factor.confirm.post(textsIn(form, "code")));
    const { recovery_codes, ...session } = confirmed;
    await setSession(client, session);
    return recovery_codes;
  };
  return (
    <Ask
      title="Connect your app"
      action="Turn on"
      send={confirm}
      result={(codes) => <FreshCodes codes={codes} onClose={onClose} />}
      renews={[ACCOUNT]}
      onClose={onClose}
    >
      <div class="pairing">
        <QrCode text={uri} label="QR code for your authenticator app" />
        <div>
          <p>Scan the picture with your app, or type this key into it:</p>
          <p>
            <code class="key-groups">{secret.replace(/.{4}(?=.)/g, "$& ")}</code>
          </p>
          <p class="hint">Time-based, 6 digits, 30 seconds.</p>
        </div>
      </div>
      <CodeField kind="app" isNext />
      <p class="hint">This signs you out everywhere else.</p>
    </Ask>
  );
}

/** Keeps its place while the encoder is loading. */
function QrCode({ text, label }: { text: string; label: string }) {
  const [drawn, setDrawn] = useState<{ size: number; path: string } | null>(null);
  useEffect(() => {
    let isWanted = true;
    import("uqr").then(({ encode }) => {
      const { size, data } = encode(text, { ecc: "M", border: 3 });
      if (isWanted) setDrawn({ size, path: pathOf(data) });
    });
    return () => {
      isWanted = false;
    };
  }, [text]);
  return (
    <div class="qr">
      {drawn && (
        <svg viewBox={`0 0 ${drawn.size} ${drawn.size}`} role="img" aria-label={label}>
          <path d={drawn.path} />
        </svg>
      )}
    </div>
  );
}

/** A square for each dark module. */
const pathOf = (rows: boolean[][]) =>
  rows.flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : ""))).join("");

function EndTwoFactor({ onClose }: Closable) {
  const client = useQueryClient();
  const end = async (form: FormData) => {
    const answers = textsIn(form, "password", "code");
    const next = form.has("new") && textsIn(form, "new");
    await setSession(client, await unwrap(factor.delete({ ...answers, ...next })));
  };
  return (
    <Ask
      title="Turn off two-factor sign-in?"
      action="Turn off"
      danger
      send={end}
      said="Two-factor sign-in is off."
      renews={[ACCOUNT]}
      onClose={onClose}
    >
      <p>
        You will sign in with your password only. Your recovery codes become invalid. This signs you
        out everywhere else.
      </p>
      <OwnPassword />
      <CodeField kind="either" />
      <LongerPassword />
    </Ask>
  );
}

/**
 * Appears if the current password is too short without a second factor, and stays while the next attempt is on its
 * way.
 */
function LongerPassword() {
  const isNeeded = useRef(false);
  isNeeded.current ||= useProblems("new").length > 0;
  if (!isNeeded.current) return null;
  return (
    <PasswordField
      label="New password"
      name="new"
      required
      autoComplete="new-password"
      hint={PASSWORD_RULE}
    />
  );
}

function RenewRecoveryCodes({ onClose }: Closable) {
  const codes = api.session["recovery-codes"];
  return (
    <Ask
      title="New recovery codes"
      action="Create new codes"
      send={(form) => unwrap(codes.post(textsIn(form, "password", "code")))}
      result={(made) => <FreshCodes codes={made.recovery_codes} onClose={onClose} />}
      renews={[ACCOUNT]}
      onClose={onClose}
    >
      <p>You get ten new codes. Your current ones become invalid.</p>
      <OwnPassword />
      <CodeField kind="either" />
    </Ask>
  );
}

/** Recovery codes, which are shown only once. */
function FreshCodes({ codes, onClose }: Closable & { codes: string[] }) {
  const { email } = useUser();
  const head = `Stillup recovery codes of ${email} at ${absolute("")}\nEach works once.\n`;
  return (
    <ShownOnce title="Your recovery codes" action="I have saved them" onClose={onClose}>
      <p>Keep these codes in a place other than your phone. They are not shown again.</p>
      <Copyable label="Recovery codes" value={codes.join("\n")} rows={codes.length} once />
      <p class="hint">Each works once, when you do not have your authenticator app.</p>
      <DownloadText name="stillup-recovery-codes.txt" text={[head, ...codes, ""].join("\n")} />
    </ShownOnce>
  );
}

function DownloadText({ name, text }: { name: string; text: string }) {
  const [href, setHref] = useState("");
  useEffect(() => {
    const url = URL.createObjectURL(new Blob([text], { type: "text/plain" }));
    setHref(url);
    return () => URL.revokeObjectURL(url);
  }, [text]);
  return (
    <a class="btn" href={href} download={name}>
      <Download class="i" aria-hidden="true" />
      <span>Download</span>
    </a>
  );
}
