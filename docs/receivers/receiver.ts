/**
 * A receiver of Stillup's webhooks: prints each event whose signature is right, once. SIGNING_SECRET is
 * the webhook's signing secret, and PORT is where to listen, 8485 if nothing else is said.
 */
import { Webhook, WebhookVerificationError } from "standardwebhooks";

/** No message of Stillup comes near it. */
const MOST_BYTES = 1024 * 1024;

const webhook = webhookOf(process.env.SIGNING_SECRET ?? "");
/** A real receiver keeps these in its database, where they survive a restart: a unique column will do. */
const seen = new Set<string>();

const server = Bun.serve({
  hostname: "127.0.0.1",
  port: Number(process.env.PORT || 8485),
  maxRequestBodySize: MOST_BYTES,
  async fetch(request) {
    const body = Buffer.from(await request.arrayBuffer());
    try {
      const event = verify(webhook, request.headers, body);
      take(request.headers.get("webhook-id")!, event);
    } catch (error) {
      return refuse(error);
    }
    return new Response(null, { status: 204 });
  },
});
console.log(`receiving on ${server.url}`);

/** The event that was signed with the webhook's secret within five minutes of now. Throws if there is none. */
function verify(webhook: Webhook, headers: Headers, body: Buffer): unknown {
  return webhook.verify(body, Object.fromEntries(headers));
}

/** A real receiver puts the event into a queue here and answers at once: the work comes later. */
function take(id: string, event: unknown) {
  if (seen.has(id)) return;
  seen.add(id);
  console.log("verified", JSON.stringify(event));
}

function refuse(error: unknown): Response {
  const what = error instanceof WebhookVerificationError ? "bad signature" : "bad body";
  const why = `${what}: ${(error as Error).message}`;
  console.log("refused,", why);
  return new Response(`${why}\n`, { status: 400 });
}

function webhookOf(secret: string): Webhook {
  try {
    return new Webhook(secret);
  } catch {
    console.error("SIGNING_SECRET must be a webhook's signing secret: whsec_ and base64.");
    process.exit(1);
  }
}
