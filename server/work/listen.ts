import type { Deps } from "./deps.ts";
import { keepListening } from "./ears.ts";
import type { Follower, News } from "./news.ts";
import { addTo, noticeOf, readNotice } from "./notice.ts";
import { createTeller } from "./teller.ts";

const CHANNEL = "stillup";
/** How often a node tells that it is there, to hear whether it hears. */
const SIGN_MS = 5000;
/** So many of its own beats it does not hear in a row before it takes itself for deaf. */
const BEATS_MISSED = 3;

type Listening = Pick<Deps, "nodes" | "loops"> & { store: Pick<Deps["store"], "engine"> };

/**
 * Tells other processes by the database's own notices, and hears theirs. Not every way to a database has them:
 * some refuse to listen, others (poolers) never pass a notice on. So a node believes that it hears others only
 * while it hears itself.
 * @param beatMs between two signs of its own
 */
export function listenForNews(
  { store: { engine }, nodes, loops }: Listening,
  beatMs = SIGN_MS,
): News & { stop(): Promise<void> } {
  const followers: Follower[] = [];
  let heardAt = -Infinity;
  const areHeard = () => performance.now() - heardAt < BEATS_MISSED * beatMs;
  const { tell, stop } = createTeller((all) => engine.notify(CHANNEL, noticeOf(nodes.id, all)));

  function pass(kind: keyof Follower, ids: string[] | null) {
    if (ids?.length === 0) return;
    for (const follower of followers) follower[kind](ids);
  }

  function missed() {
    pass("changed", null);
    loops.wakeHere();
  }

  /** What this process has changed it knows already. */
  function hear(text: string) {
    const { by, changed, counted, work } = readNotice(text);
    const isOwn = by === nodes.id;
    if (isOwn && !areHeard()) missed();
    if (isOwn) heardAt = performance.now();
    if (!isOwn) pass("changed", changed);
    pass("counted", counted);
    if (!isOwn && work) loops.wakeHere();
  }

  const ears = keepListening(async () => {
    const end = await engine.listen(CHANNEL, hear, missed);
    // What it told before, it could not hear.
    if (!areHeard()) tell(() => {});
    return end;
  });
  const beat = () => {
    ears.beat(!areHeard());
    tell(() => {});
  };
  beat();
  const beating = setInterval(beat, beatMs);
  beating.unref();
  return {
    changed: (id) => tell(({ changed }) => addTo(changed, [id])),
    counted(ids) {
      if (ids.size > 0) tell(({ counted }) => addTo(counted, ids));
    },
    workIsDue() {
      tell((gathered) => {
        gathered.work = true;
      });
    },
    areHeard,
    follow: (follower) => void followers.push(follower),
    async stop() {
      clearInterval(beating);
      await Promise.all([stop(), ears.stop()]);
    },
  };
}
