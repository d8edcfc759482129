import type { ComponentChildren } from "preact";
import { useMemo } from "preact/hooks";
import { LocationProvider, useLocation } from "preact-iso";
import { PAGE_PATHS, patternOf } from "../../../server/http/page-paths.ts";
import { withBase, withoutBase } from "../data/base.ts";

const PATTERNS = PAGE_PATHS.map((path) => patternOf(path).source.slice(1, -1));

/** Matches the links that the router follows. The browser follows all others, such as that to the API reference. */
const PAGES = new RegExp(
  `^${withBase("").replaceAll(".", "\\.")}(?:${PATTERNS.join("|")})(?:[?#]|$)`,
);

type Props = { children: ComponentChildren };

/** Provides the address of the page, without the path below which the server serves everything. */
export const AddressProvider = ({ children }: Props) => (
  <LocationProvider scope={PAGES}>
    <WithoutBase>{children}</WithoutBase>
  </LocationProvider>
);

function WithoutBase({ children }: Props) {
  const address = useLocation();
  const inner = useMemo(
    () => ({
      ...address,
      url: withoutBase(address.url),
      path: withoutBase(address.path),
      route: (url: string, replace?: boolean) => address.route(withBase(url), replace),
    }),
    [address],
  );
  return <LocationProvider.ctx.Provider value={inner}>{children}</LocationProvider.ctx.Provider>;
}
