import { RefreshCw, Trash2 } from "lucide-preact";
import { explain, type Link } from "../lib/links.ts";
import { IconButton } from "./icon-button.tsx";
import { Moment } from "./moment.tsx";
import { OpenOutside } from "./outside-link.tsx";
import { Status } from "./status.tsx";

type Deeds = { canWrite: boolean; onCheck: (link: Link) => void; onDelete: (link: Link) => void };

export const LinkList = ({ links, ...deeds }: { links: Link[] } & Deeds) => (
  <ul class="rows links" aria-label="Links">
    {links.map((link) => (
      <li key={link.id}>
        <LinkRow link={link} {...deeds} />
      </li>
    ))}
  </ul>
);

const LinkRow = ({ link, canWrite, onCheck, onDelete }: { link: Link } & Deeds) => (
  <>
    <Status of={link.status} />
    <div class="what">
      <a class="url" href={`/links/${link.id}`} title={link.url}>
        {link.url}
      </a>
      <p class="why">{explain(link)}</p>
    </div>
    <p class="when">
      {link.last_check && <Moment at={link.last_check.checked_at} />}
      <span>{link.check_frequency}</span>
    </p>
    <div class="deeds">
      <OpenOutside url={link.url} />
      {canWrite && (
        <>
          <IconButton
            label={`Check ${link.url} now`}
            title="Check now"
            icon={RefreshCw}
            disabled={link.status === "checking"}
            onClick={() => onCheck(link)}
          />
          <IconButton
            label={`Delete ${link.url}`}
            title="Delete"
            icon={Trash2}
            onClick={() => onDelete(link)}
          />
        </>
      )}
    </div>
  </>
);
