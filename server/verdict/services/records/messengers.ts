import type { Rule, Service } from "../record.ts";

/** The page of a name that nobody has offers to write to them all the same, but has no title. */
const TELEGRAM_RULES: Rule[] = [
  { text: ["tgme_page_title", "tgme_page_extra"], means: "ok_service" },
  { status: 200, text: "tgme_page_icon", means: "service_not_found", class: "C2" },
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
          // The post itself is in a frame, and the page around it is the same for all.
          url: "https://t.me/{name}/{id}?embed=1",
          needsMarker: true,
          rules: [
            {
              matches: String.raw`tgme_widget_message_error[^>]{0,200}>\s*(?:Post not found|Channel with username)`,
              means: "service_not_found",
              class: "C2",
            },
            { text: "tgme_widget_message_author", means: "ok_service" },
          ],
        },
      },
      {
        kind: "invitation",
        // Digits alone are somebody's telephone number.
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
            { json: { code: 10006 }, means: "service_not_found", class: "C1" },
            { status: 200, json: { code: { empty: false } }, means: "ok_service" },
          ],
        },
        // The app sends one page for every code.
        page: "never",
      },
    ],
    canary: ["https://discord.gg/discord-developers"],
  },
];
