import { useQuery } from "@tanstack/preact-query";
import { Globe } from "lucide-preact";
import { useState } from "preact/hooks";
import { api, asSent, complete, unwrap } from "../data/api.ts";
import { counted } from "../data/format.ts";
import { Ask, type Closable } from "../frame/ask.tsx";
import { CheckField, Field, SelectField, TextField, textsIn } from "../ui/field.tsx";
import { Empty } from "../ui/loaded.tsx";
import { Moment } from "../ui/moment.tsx";
import { Change, GrowingHeading, Line, List } from "./parts.tsx";
import type { Section } from "./settings.tsx";

const HOSTS = ["account", "host-settings"];

const listHosts = () => unwrap(api["host-settings"].get({ query: asSent({ per_page: 100 }) }));
type Host = Awaited<ReturnType<typeof listHosts>>["items"][number];

export const section: Section = { part: "Account", place: 4, name: "Hosts", icon: Globe };

/** What is sent to hosts with checks. Values can be set, and are never shown. */
export default function HostsSection() {
  const hosts = useQuery({ queryKey: HOSTS, queryFn: listHosts });
  return (
    <>
      <GrowingHeading title="Hosts" action="New host" New={EditHost}>
        Credentials and headers for hosts that let checks in only with them.
      </GrowingHeading>
      <List label="Hosts" query={hosts} items={hosts.data?.items} none={NONE}>
        {(host) => <HostLine key={host.id} host={host} />}
      </List>
    </>
  );
}

const NONE = (
  <Empty title="No hosts yet">
    <p>
      A wiki behind a sign-in, or a site that lets only your key in: say here what checks send to
      it. Values are stored encrypted, sent to no other host, and never shown again.
    </p>
  </Empty>
);

function HostLine({ host }: { host: Host }) {
  const { id, host: name, last_success_at: at, failing_since: failing, links } = host;
  return (
    <Line
      icon={Globe}
      title={<b>{name}</b>}
      hint={`${sentTo(host)}, for ${counted(links, "link")}`}
    >
      <div class="hint when">
        {!host.is_readable ? (
          <p class="is-over">cannot be read: the secret key has changed</p>
        ) : failing ? (
          <p class="is-over">
            refused since <Moment at={failing} />: set new values
          </p>
        ) : (
          <p>
            {at ? "accepted " : "not used yet"}
            {at && <Moment at={at} />}
          </p>
        )}
      </div>
      <Change
        id={id}
        name={name}
        edit={(onClose) => <EditHost host={host} onClose={onClose} />}
        remove={() => complete(api["host-settings"]({ id }).delete())}
      />
    </Line>
  );
}

/** "Basic sign-in as monitor, X-Api-Key" */
function sentTo({ auth, headers, user_agent: agent }: Host): string {
  const parts = [
    auth?.type === "basic" && `Basic sign-in as ${auth.user}`,
    auth?.type === "bearer" && "Bearer token",
    ...headers.map(({ name }) => name),
    agent && "User-Agent",
  ].filter(Boolean);
  return parts.join(", ") || "Nothing";
}

const AUTHS = [
  { value: "", label: "None" },
  { value: "basic", label: "Basic: user and password" },
  { value: "bearer", label: "Bearer token" },
] as const;
type Auth = (typeof AUTHS)[number]["value"];

/** A new one without `host`. Values that are left empty stay as they are. */
function EditHost({ host: now, onClose }: Closable & { host?: Host }) {
  // What others change while the sheet is open stays.
  const [host] = useState(now);
  const [auth, setAuth] = useState<Auth>(host?.auth?.type ?? "");
  const isKept = host?.auth?.type === auth;
  const send = (form: FormData) => {
    const body = asSent<never>(bodyOf(form, auth, host));
    return host
      ? unwrap(api["host-settings"]({ id: host.id }).patch(body))
      : unwrap(api["host-settings"].post(body));
  };
  const kept = isKept ? "Leave it empty to keep it." : undefined;
  return (
    <Ask
      title={host ? host.host : "New host"}
      action="Save"
      isSheet
      said="The host was saved."
      renews={[HOSTS]}
      send={send}
      onClose={onClose}
    >
      <TextField
        label="Host"
        name="host"
        hint="A name such as docs.example.org, or *.example.org for all names below it. Add a port unless it is 80 or 443."
        data-first
        required
        maxLength={255}
        defaultValue={host?.host ?? ""}
      />
      <SelectField<Auth>
        label="Sign-in"
        name="auth"
        value={auth}
        options={AUTHS}
        onChange={setAuth}
      />
      {auth === "basic" && (
        <>
          <TextField
            label="User"
            name="auth.user"
            autoComplete="off"
            defaultValue={host?.auth?.user ?? ""}
          />
          <TextField
            label="Password"
            name="auth.password"
            type="password"
            autoComplete="off"
            hint={kept}
          />
        </>
      )}
      {auth === "bearer" && (
        <TextField label="Token" name="auth.token" type="password" autoComplete="off" hint={kept} />
      )}
      <Field
        label="Headers"
        name="headers"
        hint="One per line, as Name: value. A known name without a value keeps its value; a name that is gone is removed."
      >
        {(ties) => (
          <textarea
            {...ties}
            rows={3}
            autoComplete="off"
            spellcheck={false}
            defaultValue={host?.headers.map(({ name }) => `${name}:`).join("\n") ?? ""}
          />
        )}
      </Field>
      <TextField
        label="User-Agent"
        name="user_agent"
        maxLength={500}
        defaultValue={host?.user_agent ?? ""}
      />
      <CheckField
        label="Also over plain http"
        hint="Only for hosts in your own network."
        name="allow_http"
        defaultChecked={host?.allow_http ?? false}
      />
    </Ask>
  );
}

/** Only what was changed of a known one. */
function bodyOf(form: FormData, auth: Auth, known?: Host) {
  const { host, headers, user_agent: agent } = textsIn(form, "host", "headers", "user_agent");
  const text = (name: string) => String(form.get(name) ?? "");
  const secret = (name: string) => (text(`auth.${name}`) ? { [name]: text(`auth.${name}`) } : {});
  const wanted = {
    host: host.trim(),
    headers: changedHeaders(headers, known?.headers ?? []),
    auth:
      auth === "basic"
        ? { type: auth, user: text("auth.user"), ...secret("password") }
        : auth === "bearer"
          ? { type: auth, ...secret("token") }
          : null,
    user_agent: agent.trim() || null,
    allow_http: form.has("allow_http"),
  };
  if (!known) return wanted;
  const hasNewSecret = text("auth.password") !== "" || text("auth.token") !== "";
  const isSame = {
    host: wanted.host === known.host,
    headers: wanted.headers.length === 0,
    auth:
      !hasNewSecret &&
      auth === (known.auth?.type ?? "") &&
      (auth !== "basic" || text("auth.user") === known.auth?.user),
    user_agent: wanted.user_agent === known.user_agent,
    allow_http: wanted.allow_http === known.allow_http,
  };
  return Object.fromEntries(
    Object.entries(wanted).filter(([name]) => !isSame[name as keyof typeof isSame]),
  );
}

/** The headers that got a value, and without one those that are gone. */
function changedHeaders(lines: string, known: Host["headers"]) {
  const given = lines
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => {
      const [name = "", ...rest] = line.split(":");
      const value = rest.join(":").trim();
      return { name: name.trim(), ...(value && { value }) };
    });
  const isIn = (headers: { name: string }[], { name }: { name: string }) =>
    headers.some((header) => header.name.toLowerCase() === name.toLowerCase());
  const gone = known.filter((header) => !isIn(given, header));
  return [
    ...given.filter((header) => "value" in header || !isIn(known, header)),
    ...gone.map(({ name }) => ({ name, value: null })),
  ];
}
