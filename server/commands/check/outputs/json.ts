import { plainJson } from "../../../ground/lib/text.ts";
import type { Finding } from "../findings.ts";

/** A finding as one JSON object on a line. */
export const asJson = ({ conclusion, places, ...finding }: Finding): string =>
  plainJson({
    url: finding.url,
    status: finding.status,
    reason: finding.reason,
    message: finding.message,
    status_code: conclusion?.statusCode ?? null,
    final_url: conclusion?.finalUrl ?? null,
    response_time_ms: conclusion?.responseTimeMs ?? null,
    service: finding.service,
    evidence: conclusion?.evidence ?? null,
    places: places.map(({ endColumn, isKnown, ...place }) => ({
      ...place,
      end_column: endColumn,
      ...(isKnown && { known: true }),
    })),
    via: finding.via,
  });
