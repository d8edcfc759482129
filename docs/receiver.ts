/** A receiver of Stillup's webhooks: prints each event whose signature is right. SIGNING_SECRET is the webhook's. */
import { Webhook } from "standardwebhooks";

const webhook = new Webhook(process.env.SIGNING_SECRET ?? "");

const server = Bun.serve({
  hostname: "127.0.0.1",
  port: Number(process.env.PORT ?? 8485),
  async fetch(request) {
    const body = await request.text();
    try {
      const event = webhook.verify(body, Object.fromEntries(request.headers));
      console.log("verified", JSON.stringify(event));
    } catch (error) {
      console.log("refused", String(error));
      return new Response("bad signature", { status: 400 });
    }
    return new Response(null, { status: 204 });
  },
});
console.log(`receiving on ${server.url}`);
