import { challenge, json, page, text, to } from "./played-web.ts";
import { tellOf } from "./told.ts";

const site = (title: string, body: string) =>
  `<!doctype html><html><head><title>${title}</title></head><body><h1>${title}</h1>${body}</body></html>`;

const missing = () => page(site("Page not found", "<p>There is nothing here.</p>"), 404);

const ill = () => text("Internal Server Error", 500);

const PLAYER = { type: "rich", title: "Something to listen to", html: "<iframe></iframe>" };

const SOUNDCLOUD = "soundcloud.com/oembed";
const TRACK = "https://soundcloud.com/forss/flickermood";
const TRACK_AT = "soundcloud.com/forss/flickermood";
const TRACK_PAGE = site("Stream Flickermood by Forss", "<p>Listen online for free.</p>");

tellOf("soundcloud", {
  urls: [
    TRACK,
    "https://on.soundcloud.com/abc123",
    "https://M.SoundCloud.com/forss",
    "https://snd.sc/abc123",
  ],
  rows: [
    {
      what: "a track",
      url: "https://m.soundcloud.com/forss/flickermood/?utm_source=clipboard",
      web: { [SOUNDCLOUD]: json(PLAYER) },
      seen: "active ok_service",
      asked: [
        "GET https://soundcloud.com/oembed?format=json&url=https%3A%2F%2Fsoundcloud.com%2Fforss%2Fflickermood",
      ],
    },
    {
      what: "a set that is shared in secret",
      url: "https://soundcloud.com/forss/sets/soulhack/s-8Pjrp",
      web: { [SOUNDCLOUD]: json(PLAYER) },
      seen: "active ok_service",
      asked: [
        "GET https://soundcloud.com/oembed?format=json&url=https%3A%2F%2Fsoundcloud.com%2Fforss%2Fsets%2Fsoulhack%2Fs-8Pjrp",
      ],
    },
    {
      what: "a user's list of tracks",
      url: "https://soundcloud.com/forss/tracks",
      web: { [SOUNDCLOUD]: json(PLAYER) },
      seen: "active ok_service",
      asked: [
        "GET https://soundcloud.com/oembed?format=json&url=https%3A%2F%2Fsoundcloud.com%2Fforss",
      ],
    },
    {
      what: "a track that was deleted",
      url: TRACK,
      web: { [SOUNDCLOUD]: text("", 404), [TRACK_AT]: missing() },
      seen: "dead http_404 C2",
    },
    {
      what: "a track in whose place the site shows itself",
      url: TRACK,
      web: {
        [SOUNDCLOUD]: text("", 404),
        [TRACK_AT]: site("SoundCloud - Hear the world’s sounds", "<p>Trending now.</p>"),
      },
      seen: "dead service_not_found C2",
    },
    {
      what: "a user in whose place the site shows itself",
      url: "https://soundcloud.com/forss",
      web: {
        [SOUNDCLOUD]: text("", 404),
        "soundcloud.com/forss": site(
          "SoundCloud – Hear the world's sounds",
          "<p>Trending now.</p>",
        ),
      },
      seen: "dead service_not_found C2",
    },
    {
      what: "a track on a day on which nothing is known",
      url: TRACK,
      web: { [SOUNDCLOUD]: text("", 404), [TRACK_AT]: TRACK_PAGE },
      seen: "unknown service_unrecognised",
    },
    {
      what: "a private track",
      url: TRACK,
      web: { [SOUNDCLOUD]: json({ errors: [] }, 403) },
      seen: "unknown service_private",
    },
    {
      what: "a track behind a wall",
      url: TRACK,
      web: { [SOUNDCLOUD]: challenge(), [TRACK_AT]: TRACK_PAGE },
      seen: "unknown service_probe_failed",
    },
    {
      what: "a short address",
      url: "https://on.soundcloud.com/abc123",
      web: {
        "on.soundcloud.com/abc123": to(`${TRACK}?si=1&utm_source=text`),
        [TRACK_AT]: TRACK_PAGE,
        [SOUNDCLOUD]: json(PLAYER),
      },
      seen: "active ok_service",
      asked: [
        "GET https://on.soundcloud.com/abc123",
        `GET ${TRACK}?si=1&utm_source=text`,
        "GET https://soundcloud.com/oembed?format=json&url=https%3A%2F%2Fsoundcloud.com%2Fforss%2Fflickermood",
      ],
    },
    {
      what: "a track of its API",
      url: "https://api.soundcloud.com/tracks/123998367",
      web: { "api.soundcloud.com/tracks/123998367": json({ title: "Something to listen to" }) },
      seen: "active ok",
    },
    {
      what: "a page of the site's own",
      url: "https://soundcloud.com/discover/sets",
      web: { "soundcloud.com/discover/sets": site("Discover", "<p>Charts and more.</p>") },
      seen: "active ok",
    },
  ],
});

const SPOTIFY = "open.spotify.com/oembed";
const SONG = "https://open.spotify.com/track/2qToAcex0ruZfbEbAy9OhW";
const SONG_AT = "open.spotify.com/track/2qToAcex0ruZfbEbAy9OhW";

tellOf("spotify", {
  urls: [
    SONG,
    "https://SPOTI.FI/abc",
    "https://spotify.link/abc",
    "https://play.spotify.com/track/1",
  ],
  rows: [
    {
      what: "a track",
      url: "https://open.spotify.com/intl-de/track/2qToAcex0ruZfbEbAy9OhW/?si=abc",
      web: { [SPOTIFY]: json(PLAYER) },
      seen: "active ok_service",
      asked: [
        "GET https://open.spotify.com/oembed?url=https%3A%2F%2Fopen.spotify.com%2Ftrack%2F2qToAcex0ruZfbEbAy9OhW",
      ],
    },
    {
      what: "a playlist under its old address",
      url: "https://open.spotify.com/user/spotify/playlist/37i9dQZF1DXcBWIGoYBM5M",
      web: { [SPOTIFY]: json(PLAYER) },
      seen: "active ok_service",
      asked: [
        "GET https://open.spotify.com/oembed?url=https%3A%2F%2Fopen.spotify.com%2Fplaylist%2F37i9dQZF1DXcBWIGoYBM5M",
      ],
    },
    {
      what: "a track that was removed",
      url: SONG,
      web: { [SPOTIFY]: json({ error: "Not found" }, 404), [SONG_AT]: missing() },
      seen: "dead http_404 C2",
    },
    {
      what: "a track that is refused, and a page that is missing",
      url: SONG,
      web: { [SPOTIFY]: json({ error: "Forbidden" }, 403), [SONG_AT]: missing() },
      seen: "dead http_404 C2",
    },
    {
      what: "a track that only its page shows",
      url: SONG,
      web: {
        [SPOTIFY]: json({ error: "Not found" }, 404),
        [SONG_AT]: site("Spotify", "<p>A song.</p>"),
      },
      seen: "unknown service_unrecognised",
    },
    {
      what: "a private playlist",
      url: SONG,
      web: {
        [SPOTIFY]: json({ error: "Forbidden" }, 403),
        [SONG_AT]: site("Spotify", "<p>A playlist.</p>"),
      },
      seen: "unknown service_private",
    },
    {
      what: "a track while the service is ill",
      url: SONG,
      web: { [SPOTIFY]: ill(), [SONG_AT]: site("Spotify", "<p>A song.</p>") },
      seen: "unknown service_probe_failed",
    },
  ],
});

const MIXCLOUD = "www.mixcloud.com/oembed/";
const GRAPHQL = "app.mixcloud.com/graphql";
const MIX = "https://www.mixcloud.com/dholbach/cryptkeeper/";
const MIX_AT = "www.mixcloud.com/dholbach/cryptkeeper/";
const MIX_OEMBED =
  "GET https://www.mixcloud.com/oembed/?format=json&url=https%3A%2F%2Fwww.mixcloud.com%2Fdholbach%2Fcryptkeeper%2F";
const mix = (cloudcastLookup: object | null) => ({
  [MIXCLOUD]: json({ detail: "Not found." }, 404),
  [GRAPHQL]: json({ data: { cloudcastLookup } }),
});

tellOf("mixcloud", {
  urls: [MIX, "https://m.mixcloud.com/dholbach", "https://Beta.MixCloud.com/dholbach/cryptkeeper"],
  rows: [
    {
      what: "a show",
      url: "https://m.mixcloud.com/dholbach/cryptkeeper",
      web: { [MIXCLOUD]: json(PLAYER) },
      seen: "active ok_service",
      asked: [MIX_OEMBED],
    },
    {
      what: "a show that is not there",
      url: MIX,
      web: mix(null),
      seen: "dead service_not_found C2",
      asked: [
        MIX_OEMBED,
        'POST https://app.mixcloud.com/graphql {"query":"query Show($lookup: CloudcastLookup!) { cloudcastLookup(lookup: $lookup) { name restrictedReason } }","variables":{"lookup":{"username":"dholbach","slug":"cryptkeeper"}}}',
      ],
    },
    {
      what: "a show that may not be embedded",
      url: MIX,
      web: mix({ name: "Cryptkeeper", restrictedReason: null }),
      seen: "active ok_service",
    },
    {
      what: "a show for other countries",
      url: MIX,
      web: mix({ name: "Cryptkeeper", restrictedReason: "tracklist" }),
      seen: "unknown geo_blocked",
    },
    {
      what: "a show that was played too often",
      url: MIX,
      web: mix({ name: "Cryptkeeper", restrictedReason: "repeat_play" }),
      seen: "active ok_service_protected",
    },
    {
      what: "a show for subscribers",
      url: MIX,
      web: mix({ name: "Cryptkeeper", restrictedReason: "exclusive" }),
      seen: "unknown service_private",
    },
    {
      what: "a show behind a wall that only its page denies",
      url: MIX,
      web: {
        [MIXCLOUD]: json({ detail: "Not found." }, 404),
        [GRAPHQL]: challenge(),
        [MIX_AT]: missing(),
      },
      seen: "dead http_404 C2",
    },
    {
      what: "a show that could not be looked up",
      url: MIX,
      web: {
        [MIXCLOUD]: json({ detail: "Not found." }, 404),
        [GRAPHQL]: json({ data: { cloudcastLookup: null }, errors: [{ message: "Timeout" }] }),
        [MIX_AT]: site("Cryptkeeper", "<p>A mix.</p>"),
      },
      seen: "unknown service_probe_failed",
    },
    {
      what: "a show while the service is ill",
      url: MIX,
      web: { [MIXCLOUD]: ill(), [MIX_AT]: site("Cryptkeeper", "<p>A mix.</p>") },
      seen: "unknown service_probe_failed",
    },
    {
      what: "a user's list of favourites",
      url: "https://www.mixcloud.com/dholbach/favorites/",
      web: { "www.mixcloud.com/dholbach/favorites/": site("Favourites", "<p>Liked.</p>") },
      seen: "active ok",
    },
    {
      what: "a page of the site's own",
      url: "https://www.mixcloud.com/genres/house/",
      web: { "www.mixcloud.com/genres/house/": site("House", "<p>Four to the floor.</p>") },
      seen: "active ok",
    },
  ],
});

const ALBUM = "https://benprunty.bandcamp.com/track/lanius-battle";
const ALBUM_AT = "benprunty.bandcamp.com/track/lanius-battle";
const SIGNUP = site("Sign up | Bandcamp", "<p>Choose a name for your site.</p>");

tellOf("bandcamp", {
  urls: [ALBUM, "https://bandcamp.com/radio?show=224", "https://ADRIANVONZIEGLER.bandcamp.com"],
  rows: [
    {
      what: "a track",
      url: ALBUM,
      web: {
        [ALBUM_AT]: site(
          "Lanius (Battle) | Ben Prunty",
          '<script src="/player.js" data-tralbum="{&quot;id&quot;:2650410135}"></script>',
        ),
      },
      seen: "active ok_service",
      asked: [`GET ${ALBUM}`],
    },
    {
      what: "a track that was deleted",
      url: ALBUM,
      web: {
        [ALBUM_AT]: page(site("Page not found", "<h2>Sorry, that something isn’t here.</h2>"), 404),
      },
      seen: "dead service_not_found C2",
    },
    {
      what: "a track whose title is what is said of missing ones",
      url: ALBUM,
      web: {
        [ALBUM_AT]: site(
          "Sorry, that something isn’t here",
          '<script src="/player.js" data-tralbum="{&quot;id&quot;:2650410135}"></script><h2 class="trackTitle"> Sorry, that something isn’t here </h2>',
        ),
      },
      seen: "active ok_service",
    },
    {
      what: "a track that is said to be missing with success",
      url: ALBUM,
      web: { [ALBUM_AT]: site("Bandcamp", "<h2>Sorry, that something isn't here.</h2>") },
      seen: "dead service_not_found C2",
    },
    {
      what: "a track that is not there, for whatever reason",
      url: ALBUM,
      web: { [ALBUM_AT]: missing() },
      seen: "dead http_404 C2",
    },
    {
      what: "a track that is not there, beside one that is",
      url: ALBUM,
      web: { [ALBUM_AT]: page(site("Page not found", '<script data-tralbum="{}"></script>'), 404) },
      seen: "dead http_404 C2",
    },
    {
      what: "a track of an artist whose name is free",
      url: ALBUM,
      web: {
        [ALBUM_AT]: to("https://bandcamp.com/signup?new_domain=benprunty", 303),
        "bandcamp.com/signup": SIGNUP,
      },
      seen: "dead service_account_gone C1",
    },
    {
      what: "a track of which nothing is shown",
      url: ALBUM,
      web: { [ALBUM_AT]: site("Ben Prunty", "<p>Music.</p>") },
      seen: "unknown service_unrecognised",
    },
    {
      what: "a track behind a wall",
      url: ALBUM,
      web: { [ALBUM_AT]: challenge() },
      seen: "unknown bot_challenge",
    },
    {
      what: "an artist",
      url: "https://benprunty.bandcamp.com/music",
      web: { "benprunty.bandcamp.com/music": site("Music | Ben Prunty", "<p>Albums.</p>") },
      seen: "active ok",
    },
    {
      what: "an artist whose name is free",
      url: "https://benprunty.bandcamp.com/",
      web: {
        "benprunty.bandcamp.com/": to("https://bandcamp.com/signup?new_domain=benprunty", 303),
        "bandcamp.com/signup": SIGNUP,
      },
      seen: "dead service_account_gone C1",
    },
    {
      what: "an article",
      url: "https://daily.bandcamp.com/album/of-the-day",
      web: {
        "daily.bandcamp.com/album/of-the-day": site("Album of the day", "<p>Listen to this.</p>"),
      },
      seen: "active ok",
    },
  ],
});

const AUDIOMACK = "audiomack.com/oembed";
const MUSIC = "https://audiomack.com/roosh-williams/song/extraordinary";
const MUSIC_AT = "audiomack.com/roosh-williams/song/extraordinary";

tellOf("audiomack", {
  urls: [MUSIC, "https://www.audiomack.com/roosh-williams", "https://AudioMack.com/a/album/b"],
  rows: [
    {
      what: "a song",
      url: `${MUSIC}/?key=1`,
      web: { [AUDIOMACK]: json(PLAYER) },
      seen: "active ok_service",
      asked: [
        "GET https://audiomack.com/oembed?format=json&url=https%3A%2F%2Faudiomack.com%2Froosh-williams%2Fsong%2Fextraordinary",
      ],
    },
    {
      what: "a song that was removed",
      url: MUSIC,
      web: { [AUDIOMACK]: json({ error: "Not found" }, 404) },
      seen: "dead service_not_found C2",
    },
    {
      what: "a song that only the page denies",
      url: MUSIC,
      web: {
        [AUDIOMACK]: ill(),
        [MUSIC_AT]: site("Audiomack", "<p> This song cannot be found or has been removed.</p>"),
      },
      seen: "dead service_not_found C1",
    },
    {
      what: "a private song",
      url: MUSIC,
      web: {
        [AUDIOMACK]: json({ error: "Forbidden" }, 403),
        [MUSIC_AT]: site("Extraordinary", "<p>Listen.</p>"),
      },
      seen: "unknown service_private",
    },
    {
      what: "a song that is refused, and a page that is missing",
      url: MUSIC,
      web: { [AUDIOMACK]: json({ error: "Forbidden" }, 403), [MUSIC_AT]: missing() },
      seen: "dead http_404 C2",
    },
    {
      what: "a song whose description quotes what is said of missing ones",
      url: MUSIC,
      web: {
        [AUDIOMACK]: ill(),
        [MUSIC_AT]: site(
          "Extraordinary",
          '<meta name="description" content="This song cannot be found or has been removed"><p>Called "This song cannot be found or has been removed".</p>',
        ),
      },
      seen: "unknown service_probe_failed",
    },
    {
      what: "a song behind a wall",
      url: MUSIC,
      web: { [AUDIOMACK]: challenge(), [MUSIC_AT]: site("Extraordinary", "<p>Listen.</p>") },
      seen: "unknown service_probe_failed",
    },
  ],
});

const HEARTHIS = "hearthis.at/oembed/";
const SET = "https://hearthis.at/gdsfm/motherland-soundsystem/";
const SET_AT = "hearthis.at/gdsfm/motherland-soundsystem/";

tellOf("hearthis", {
  urls: [SET, "https://www.hearthis.at/gdsfm/", "https://HearThis.at/moofi/dr-kreep"],
  rows: [
    {
      what: "a track",
      url: "https://www.hearthis.at/gdsfm/motherland-soundsystem",
      web: { [HEARTHIS]: json(PLAYER) },
      seen: "active ok_service",
      asked: [
        "GET https://hearthis.at/oembed/?format=json&url=https%3A%2F%2Fhearthis.at%2Fgdsfm%2Fmotherland-soundsystem%2F",
      ],
    },
    {
      what: "a track that is shared in secret",
      url: "https://hearthis.at/tindalos/0001-tindalos-gnrique/eQd/",
      web: { [HEARTHIS]: json(PLAYER) },
      seen: "active ok_service",
      asked: [
        "GET https://hearthis.at/oembed/?format=json&url=https%3A%2F%2Fhearthis.at%2Ftindalos%2F0001-tindalos-gnrique%2FeQd%2F",
      ],
    },
    {
      what: "a track that was deleted",
      url: SET,
      web: { [HEARTHIS]: json({ error: "Not found" }, 404), [SET_AT]: missing() },
      seen: "dead http_404 C2",
    },
    {
      what: "a track that the search is offered for",
      url: SET,
      web: {
        [HEARTHIS]: json({ error: "Not found" }, 404),
        [SET_AT]: to("https://hearthis.at/search/?q=motherland"),
        "hearthis.at/search/": site("Search", "<p>Nothing was found.</p>"),
      },
      seen: "dead service_not_found C2",
    },
    {
      what: "a track that only its page shows",
      url: SET,
      web: {
        [HEARTHIS]: json({ error: "Not found" }, 404),
        [SET_AT]: site("Motherland", '<div class="track-detail track_2610325">Play</div>'),
      },
      seen: "active ok_service",
    },
    {
      what: "a private track",
      url: SET,
      web: {
        [HEARTHIS]: json({ error: "Forbidden" }, 403),
        [SET_AT]: site("Motherland", "<p>Wait a moment.</p>"),
      },
      seen: "unknown service_private",
    },
    {
      what: "a track while the service is ill",
      url: SET,
      web: { [HEARTHIS]: ill(), [SET_AT]: site("Motherland", "<p>Wait a moment.</p>") },
      seen: "unknown service_probe_failed",
    },
    {
      what: "a list of tracks",
      url: "https://hearthis.at/gdsfm/set/motherland/",
      web: { "hearthis.at/gdsfm/set/motherland/": site("Motherland", "<p>A list.</p>") },
      seen: "active ok",
    },
    {
      what: "a page of the site's own",
      url: "https://hearthis.at/categories/house/",
      web: { "hearthis.at/categories/house/": site("House", "<p>A list.</p>") },
      seen: "active ok",
    },
  ],
});

/** Three that know their episodes by oEmbed alone. */
const PODCASTS = [
  {
    id: "podbean",
    endpoint: "api.podbean.com/v1/oembed",
    episode: "https://podcast.podbean.com/e/jen-and-vernon/",
    asked: "https%3A%2F%2Fpodcast.podbean.com%2Fe%2Fjen-and-vernon%2F",
    urls: ["https://www.podbean.com/ew/pb-abc", "https://PODCAST.podbean.com"],
    own: "https://podcast.podbean.com/p/about/",
  },
  {
    id: "spreaker",
    endpoint: "api.spreaker.com/oembed",
    episode: "https://www.spreaker.com/episode/grunge-music-origins--60269615",
    asked: "https%3A%2F%2Fwww.spreaker.com%2Fepisode%2Fgrunge-music-origins--60269615",
    urls: ["https://spreaker.com/show/5887186", "https://API.spreaker.com/episode/12534508"],
    own: "https://blog.spreaker.com/show/something",
  },
  {
    id: "acast",
    endpoint: "oembed.acast.com/v1/embed-player",
    episode: "https://play.acast.com/s/go-off-sis/keepthatsameenergy",
    asked: "https%3A%2F%2Fplay.acast.com%2Fs%2Fgo-off-sis%2Fkeepthatsameenergy",
    urls: ["https://shows.acast.com/sparpodcast", "https://Embed.acast.com/adambuxton/ep.12"],
    own: "https://www.acast.com/podcasters/grow",
  },
];

for (const { id, endpoint, episode, asked, urls, own } of PODCASTS) {
  const at = episode.slice("https://".length);
  tellOf(id, {
    urls: [episode, ...urls],
    rows: [
      {
        what: "an episode",
        url: episode,
        web: { [endpoint]: json(PLAYER) },
        seen: "active ok_service",
        asked: [`GET https://${endpoint}?url=${asked}`],
      },
      {
        what: "an episode that was deleted",
        url: episode,
        web: { [endpoint]: json({ error: "not_found" }, 404) },
        seen: "dead service_not_found C2",
      },
      {
        what: "a private episode",
        url: episode,
        web: {
          [endpoint]: json({ error: "forbidden" }, 403),
          [at]: site("An episode", "<p>Listen.</p>"),
        },
        seen: "unknown service_private",
      },
      {
        what: "an episode that is refused, and a page that is missing",
        url: episode,
        web: { [endpoint]: json({ error: "forbidden" }, 403), [at]: missing() },
        seen: "dead http_404 C2",
      },
      {
        what: "an episode while the service is ill",
        url: episode,
        web: { [endpoint]: ill(), [at]: site("An episode", "<p>Listen.</p>") },
        seen: "unknown service_probe_failed",
      },
      {
        what: "a page that is no episode",
        url: own,
        web: { [own.slice("https://".length)]: site("A page", "<p>Something to read.</p>") },
        seen: "active ok",
      },
    ],
  });
}

const PODCAST = "https://shows.acast.com/sparpodcast/episodes/2.raggarmordet";
const PODCAST_AT = "shows.acast.com/sparpodcast/episodes/2.raggarmordet";
const ACAST = "oembed.acast.com/v1/embed-player";

tellOf("acast", {
  urls: [PODCAST, "https://acast.com/todayinfocus", "https://Play.Acast.com/s/ft-banking-weekly"],
  rows: [
    {
      what: "an episode on the page of its show",
      url: PODCAST,
      web: { [ACAST]: json(PLAYER) },
      seen: "active ok_service",
      asked: [
        "GET https://oembed.acast.com/v1/embed-player?url=https%3A%2F%2Fplay.acast.com%2Fs%2Fsparpodcast%2F2.raggarmordet",
      ],
    },
    {
      what: "an episode that neither knows",
      url: PODCAST,
      web: { [ACAST]: text("Not Found", 404), [PODCAST_AT]: missing() },
      seen: "dead http_404 C2",
    },
    {
      what: "an episode that only its page shows",
      url: PODCAST,
      web: {
        [ACAST]: text("Not Found", 404),
        [PODCAST_AT]: site("Raggarmordet", "<p>Listen.</p>"),
      },
      seen: "unknown service_unrecognised",
    },
    {
      what: "an episode behind a wall",
      url: PODCAST,
      web: { [ACAST]: challenge(), [PODCAST_AT]: challenge() },
      seen: "unknown bot_challenge",
    },
  ],
});
