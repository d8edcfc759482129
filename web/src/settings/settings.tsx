/// <reference types="vite/types/importMeta.d.ts" />
import type { LucideIcon } from "lucide-preact";
import type { FunctionComponent } from "preact";
import { useRoute } from "preact-iso";
import { type User, useUser } from "../data/session.ts";
import { useBar } from "../frame/bar.tsx";
import { NotFoundPage } from "../frame/missing.tsx";
import type { SettingsSection } from "../frame/places.ts";
import "./settings.css";

const PARTS = ["You", "Account", "Server"] as const;

/** What the file of a section exports next to its content. The last part of the address is the file's name. */
export type Section = {
  part: (typeof PARTS)[number];
  /** Among those of its part. */
  place: number;
  name: string;
  icon: LucideIcon;
};

type File = { default: FunctionComponent; section?: Section };

const FILES = import.meta.glob<File>(["./*.tsx", "!./settings.tsx"], { eager: true });

const SECTIONS = Object.entries(FILES)
  .flatMap(([file, { section, default: Content }]) =>
    section ? [{ ...section, path: file.replace(/^\.\/|\.tsx$/g, ""), Content }] : [],
  )
  .sort((a, b) => PARTS.indexOf(a.part) - PARTS.indexOf(b.part) || a.place - b.place);

/** Only administrators see those of the server. */
export const sectionsFor = ({ is_admin }: User): SettingsSection[] => visibleTo(is_admin);

const visibleTo = (isAdmin: boolean) => SECTIONS.filter(({ part }) => part !== "Server" || isAdmin);

/** `/settings` and its sections. On a phone, `/settings` is the list that opens each. */
export default function SettingsPage() {
  const { section: path } = useRoute().params;
  const sections = visibleTo(useUser().is_admin);
  const isWanted = (section: SettingsSection) => section.path === (path ?? "profile");
  const current = sections.find(isWanted);
  if (current) return <Settings sections={sections} current={current} isList={!path} />;
  return SECTIONS.some(isWanted) ? <AdministratorsOnly /> : <NotFoundPage />;
}

type Known = (typeof SECTIONS)[number];
type SettingsProps = { sections: Known[]; current: Known; isList: boolean };

function Settings({ sections, current: { path, name, Content }, isList }: SettingsProps) {
  const crumb = { label: "Settings", href: "/settings" };
  useBar({ crumbs: isList ? [{ label: "Settings" }] : [crumb, { label: name }] });
  return (
    <div class={`settings pad narrow${isList ? " as-list" : ""}`}>
      <nav class="settings-nav" aria-label="Settings">
        {[...Map.groupBy(sections, ({ part }) => part)].map(([part, own]) => (
          <Part key={part} title={part} sections={own} current={path} />
        ))}
      </nav>
      <div class="settings-body">
        <Content key={path} />
      </div>
    </div>
  );
}

type PartProps = { title: string; sections: Known[]; current: string };

const Part = ({ title, sections, current }: PartProps) => (
  <>
    <h2>{title}</h2>
    <ul class="nav">
      {sections.map(({ path, name, icon: Icon }) => (
        <li key={path}>
          <a href={`/settings/${path}`} aria-current={path === current ? "page" : undefined}>
            <Icon class="i" aria-hidden="true" />
            <span>{name}</span>
          </a>
        </li>
      ))}
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
