import {
  Archive,
  ArrowLeftRight,
  Folder,
  Globe,
  KeyRound,
  LayoutList,
  type LucideIcon,
  MonitorSmartphone,
  ScrollText,
  Server,
  ShieldCheck,
  UserRound,
  UsersRound,
} from "lucide-preact";
import type { FunctionComponent } from "preact";
import { useRoute } from "preact-iso";
import { useUser } from "../data/session.ts";
import { useBar } from "../frame/bar.tsx";
import { lazyPage, NotFoundPage } from "../frame/missing.tsx";
import { SETTINGS, type SettingsPart, settingsFor } from "../frame/places.ts";
import "./settings.css";

type Content = { icon: LucideIcon; Content: FunctionComponent };

const section = (
  icon: LucideIcon,
  load: () => Promise<{ default: FunctionComponent }>,
): Content => ({ icon, Content: lazyPage(load) });

/** By the last part of the address. */
const CONTENTS: Record<string, Content> = {
  profile: section(UserRound, () => import("./profile.tsx")),
  sessions: section(MonitorSmartphone, () => import("./sessions.tsx")),
  "two-factor": section(ShieldCheck, () => import("./two-factor.tsx")),
  people: section(UsersRound, () => import("./people.tsx")),
  groups: section(Folder, () => import("./groups.tsx")),
  views: section(LayoutList, () => import("./views.tsx")),
  hosts: section(Globe, () => import("./hosts.tsx")),
  keys: section(KeyRound, () => import("./keys.tsx")),
  "import-export": section(ArrowLeftRight, () => import("./import-export.tsx")),
  activity: section(ScrollText, () => import("./activity.tsx")),
  backups: section(Archive, () => import("./backups.tsx")),
  installation: section(Server, () => import("./installation.tsx")),
};

/** `/settings` and its sections. On a phone, `/settings` is the list that opens each. */
export default function SettingsPage() {
  const { section: path } = useRoute().params;
  const parts = settingsFor(useUser());
  const isKnown = (part: SettingsPart) => Object.hasOwn(part.sections, path ?? "profile");
  const part = parts.find(isKnown);
  if (part) return <Settings parts={parts} part={part} path={path} />;
  return SETTINGS.some(isKnown) ? <AdministratorsOnly /> : <NotFoundPage />;
}

type SettingsProps = { parts: SettingsPart[]; part: SettingsPart; path: string | undefined };

function Settings({ parts, part, path }: SettingsProps) {
  const current = path ?? "profile";
  const { Content } = CONTENTS[current]!;
  const crumb = { label: "Settings", href: "/settings" };
  useBar({ crumbs: path ? [crumb, { label: part.sections[path]! }] : [{ label: "Settings" }] });
  return (
    <div class={`settings pad narrow${path ? "" : " as-list"}`}>
      <nav class="settings-nav" aria-label="Settings">
        {parts.map((each) => (
          <Part key={each.title} {...each} current={current} />
        ))}
      </nav>
      <div class="settings-body">
        <Content key={current} />
      </div>
    </div>
  );
}

const Part = ({ title, sections, current }: SettingsPart & { current: string }) => (
  <>
    <h2>{title}</h2>
    <ul class="nav">
      {Object.entries(sections).map(([path, name]) => {
        const { icon: Icon } = CONTENTS[path]!;
        return (
          <li key={path}>
            <a href={`/settings/${path}`} aria-current={path === current ? "page" : undefined}>
              <Icon class="i" aria-hidden="true" />
              <span>{name}</span>
            </a>
          </li>
        );
      })}
    </ul>
  </>
);

const AdministratorsOnly = () => {
  useBar({ crumbs: [{ label: "Settings", href: "/settings" }, { label: "Administrators only" }] });
  return (
    <div class="empty">
      <h1>Administrators only</h1>
      <p>Ask an administrator for access.</p>
    </div>
  );
};
