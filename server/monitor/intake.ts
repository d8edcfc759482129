import { sawNothing } from "../verdict/probe/conclusion.ts";
import type { Deps } from "../work/deps.ts";
import { accountsOf } from "../work/news.ts";
import { breakLeases } from "./break-leases.ts";
import type { ClaimedLink } from "./claim.ts";
import type { createHeld } from "./held.ts";
import type { createRecorder } from "./recorder.ts";
import type { SiteHolds } from "./site-holds.ts";
import type { createSlots } from "./slots.ts";

/** More at once would keep requests waiting. */
const CLAIMED_AT_ONCE = 250;

export type IntakeDeps = Deps & {
  /** What is kept of sites that want to be left alone, where anything is. It goes with their buckets. */
  holds?: SiteHolds;
};

/** Through which a link goes from its claim to the end of its check. */
type Stations = {
  held: ReturnType<typeof createHeld>;
  slots: ReturnType<typeof createSlots>;
  recorder: ReturnType<typeof createRecorder>;
};

/** Takes on the links of this node's share of the work. */
type Intake = {
  /**
   * Claims as many as there is room for, up to what keeps no request waiting.
   * @returns whether there were as many, so that more may wait
   */
  takeOn(room: number, claim: (most: number) => Promise<ClaimedLink[]>): Promise<boolean>;
  /**
   * Gives back what another node is to check by now, and has not begun here. With no share at all others may
   * have taken it already, or we are offline: then no site is asked any more.
   */
  handOver(): Promise<void>;
};

/** @param ending after it nothing more is begun */
export function createIntake(deps: IntakeDeps, stations: Stations, ending: AbortSignal): Intake {
  const { held, slots, recorder } = stations;
  const share = () => deps.nodes.share("checks");
  const isOurs = ({ bucket }: ClaimedLink) => share().has(bucket);
  /** The buckets of which links are being claimed. */
  let claiming: readonly number[] = [];
  const notWritten = () => deps.holds?.pending() ?? [];
  deps.nodes.keeps("checks", () => new Set([...held.buckets(), ...claiming, ...notWritten()]));
  deps.nodes.onTaken("checks", async (buckets, from) => {
    await breakLeases(deps, buckets, from);
    await deps.holds?.learnTaken(buckets);
  });

  /** None of these buckets goes to another node before it is known what was claimed of it. */
  async function claimOwn(claim: () => Promise<ClaimedLink[]>): Promise<ClaimedLink[]> {
    claiming = share().buckets;
    try {
      const claimed = await claim();
      held.add(claimed);
      return claimed;
    } finally {
      claiming = [];
    }
  }

  function putBack(links: ClaimedLink[]) {
    const conclusion = { ...sawNothing("check_aborted"), deferMs: 0 };
    for (const link of links) recorder.add({ link, conclusion, at: deps.clock.now() });
  }

  return {
    async takeOn(room, claim) {
      if (room === 0 || !recorder.hasRoom()) return false;
      const most = Math.min(room, CLAIMED_AT_ONCE);
      const claimed = await claimOwn(() => claim(most));
      deps.news.counted(accountsOf(claimed));
      // Told to stop meanwhile, which gives back what is held.
      if (!ending.aborted) slots.take(claimed.filter(isOurs));
      putBack(claimed.filter((link) => !isOurs(link)));
      return claimed.length === most;
    },
    async handOver() {
      putBack(slots.takeBack(isOurs));
      if (share().buckets.length === 0) slots.giveUp();
    },
  };
}
