import { ArrowLeftRight, Download, Upload } from "lucide-preact";
import { placesHref } from "../data/repair.ts";
import { useCanWrite } from "../data/session.ts";
import { useAdd } from "../frame/add.tsx";
import { Button } from "../ui/button.tsx";
import { Heading } from "../ui/section.tsx";
import { Panel, Setting } from "./parts.tsx";
import type { Section } from "./settings.tsx";

export const section: Section = {
  part: "Account",
  place: 6,
  name: "Import and export",
  icon: ArrowLeftRight,
};

/** Getting links in from elsewhere, and everything out again. */
export default function ImportExportSection() {
  const canWrite = useCanWrite();
  const add = useAdd();
  return (
    <>
      <Heading title="Import and export">
        The API gives the same data as JSON: see the <a href="/docs">reference</a>.
      </Heading>
      {canWrite && (
        <Panel title="Import">
          <Setting
            label="Links"
            hint="A text with one URL per line, CSV, JSON, bookmarks, a sitemap, or an export of Uptime Kuma or UptimeRobot. Nothing is added before you have seen what was found."
          >
            <Button icon={Upload} onClick={() => add.open()}>
              Import links
            </Button>
          </Setting>
        </Panel>
      )}
      <Panel title="Export">
        {EXPORTS.map(({ label, hint, href }) => (
          <Setting key={label} label={label} hint={hint}>
            <Button icon={Download} href={href} download>
              CSV<span class="unseen"> of {label.toLowerCase()}</span>
            </Button>
          </Setting>
        ))}
      </Panel>
    </>
  );
}

const ROOT = "/dashboard/api";

const EXPORTS = [
  {
    label: "All links",
    hint: "With group, frequency, state, reason and last check.",
    href: `${ROOT}/links/export`,
  },
  {
    label: "Dead links",
    hint: "To hand on to those who can fix them.",
    href: `${ROOT}/links/export?status=dead`,
  },
  {
    label: "All checks",
    hint: "Every check whose details are still kept, newest first.",
    href: `${ROOT}/history/export`,
  },
  {
    label: "Changes of state",
    hint: "Only the checks that found another state than the one before.",
    href: `${ROOT}/history/export?changed=true`,
  },
  {
    label: "Places to edit",
    hint: "The pages that have a URL for which a replacement is stored.",
    href: placesHref(),
  },
];
