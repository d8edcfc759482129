import * as z from "zod";
import { flag, lines, text } from "../ground/lib/fields.ts";
import { LinkDetail, toLinkDetail } from "../links/model.ts";
import { MODES, type ReplacedLink } from "./replace.ts";

const merge = () =>
  flag()
    .meta({
      description:
        "`true`: a link whose new URL another link has is retired, if it stands in no source, or else keeps the URL as its `accepted_url`. Otherwise it is refused.",
    })
    .optional()
    .default(false);

export const ReplaceBody = z
  .object(
    {
      url: text(2048).meta({ format: "uri" }),
      note: lines(500).nullable().optional().default(null),
      merge: merge(),
    },
    "must be a JSON object",
  )
  .meta({ example: { url: "https://example.com/new", note: null } });

export const ReplacedLinkRecord = LinkDetail.extend({
  mode: z.enum(MODES).meta({
    description:
      "`link`: the link has the new URL. `places`: it stands in sources, which are to be edited. `merged`: it is retired, since another link has the new URL.",
    example: "places",
  }),
}).meta({ id: "ReplacedLink" });

export const toReplacedLink = (
  row: ReplacedLink,
  now: number,
): z.infer<typeof ReplacedLinkRecord> => ({ ...toLinkDetail(row, now), mode: row.mode });
