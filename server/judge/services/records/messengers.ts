import { dead, means, type Rule, type Service } from "../record.ts";

/** The page of an unused name also offers to send a message, but has no title. */
const TELEGRAM_RULES: Rule[] = [
  means("ok_service", { text: ["tgme_page_title", "tgme_page_extra"] }),
  dead("service_not_found", "C2", { status: 200, text: "tgme_page_icon" }),
];

export const MESSENGERS: Service[] = [
  {
    id: "telegram",
    name: "Telegram",
    hosts: ["t.me", "telegram.me", "telegram.dog"],
    confidence: "L",
    kinds: [
      {
        kind: "post",
        path: String.raw`^/(?:s/)?(?<name>[A-Za-z]\w{3,31})/(?:\d+/)?(?<id>\d+)/?$`,
        page: {
          // The post is in a frame, and the page around it is always the same.
          url: "https://t.me/{name}/{id}?embed=1",
          needsMarker: true,
          rules: [
            dead("service_not_found", "C2", {
              matches: String.raw`tgme_widget_message_error[^>]{0,200}>\s*(?:Post not found|Channel with username)`,
            }),
            means("ok_service", { text: "tgme_widget_message_author" }),
          ],
        },
      },
      {
        kind: "invitation",
        // Digits alone are a telephone number.
        path: String.raw`^/(?:joinchat/|\+(?!\d+/?$))[\w-]+`,
        page: { needsMarker: true, rules: TELEGRAM_RULES },
      },
      {
        kind: "name",
        path: String.raw`^/(?:s/)?(?!(?:share|proxy|socks|login|contact|confirmphone|boost)/?$)(?<name>[A-Za-z]\w{3,31})/?$`,
        page: { url: "https://t.me/{name}", needsMarker: true, rules: TELEGRAM_RULES },
      },
    ],
    canary: ["https://t.me/telegram", "https://t.me/europa_press/613"],
  },
  {
    id: "discord",
    name: "Discord",
    hosts: ["discord.gg", "discord.com/invite", "discordapp.com/invite"],
    confidence: "M",
    kinds: [
      {
        kind: "invitation",
        path: String.raw`^/(?:invite/)?(?!invite/?$)(?<code>[\w-]+)/?$`,
        ask: {
          url: "https://discord.com/api/v10/invites/{code}",
          rules: [
            dead("service_not_found", "C1", { json: { code: 10006 } }),
            means("ok_service", { status: 200, json: { code: { empty: false } } }),
          ],
        },
        // All codes get the same page of the app.
        page: "never",
      },
    ],
    canary: ["https://discord.gg/discord-developers"],
  },
];
