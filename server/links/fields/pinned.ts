import * as z from "zod";
import { flag } from "../../ground/lib/fields.ts";
import { field } from "./field.ts";

const INPUT = {
  pinned: flag()
    .meta({
      description:
        "`true`: the link stays when its sources no longer have it. `false`: it leaves with them.",
    })
    .optional(),
};

/** `sources` and `places` are counted by the sources of the link. */
type Part = { isPinned: boolean; sources: number; places: number };

export const pinned = field({
  columns: { is_pinned: "bigint" },
  joined: { sources: "details.sources", places: "details.places" },
  read: ({ is_pinned: isPinned, sources, places }): Part => ({
    isPinned: isPinned !== 0,
    sources: Number(sources ?? 0),
    places: Number(places ?? 0),
  }),
  write: ({ isPinned }) => ({ is_pinned: isPinned ? 1 : 0 }),
  isListed: true,
  shown: {
    pinned: z.boolean().meta({
      description: "Whether the link stays when its sources no longer have it.",
    }),
    sources: z.int().meta({ description: "How many sources have the link." }),
    places: z.int().meta({ description: "In how many places of these it stands." }),
  },
  example: { pinned: true, sources: 0, places: 0 },
  show: ({ isPinned, sources, places }) => ({ pinned: isPinned, sources, places }),
  changing: INPUT,
  changingMany: INPUT,
  after: (_before, { pinned }) => (pinned === undefined ? undefined : { isPinned: pinned }),
  compared: { pinned: ({ isPinned }) => isPinned },
});
