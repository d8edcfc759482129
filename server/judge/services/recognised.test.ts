import { expect, test } from "bun:test";
import { agree } from "../../../tests/each-row.ts";
import { serviceIdOf, targetOf } from "./catalogue.ts";
import { catalogueWith } from "./records/built-in.ts";

const catalogue = catalogueWith([]);
const idOf = (url: string) => serviceIdOf(catalogue, new URL(url));
const ownedBy = (story: string, url: string, service: string) => ({
  story: `${story}: ${url}`,
  expected: { service },
  seen: () => ({ service: idOf(url) }),
});

test("An address belongs to the service", () =>
  agree(
    [
      ["whose name it has", "https://youtube.com/watch?v=jNQXAC9IVRw", "youtube"],
      ["with www.", "https://www.youtube.com/", "youtube"],
      ["with m.", "https://m.youtube.com/", "youtube"],
      ["with any other name below", "https://music.youtube.com/", "youtube"],
      ["with several names below", "https://a.b.c.bandcamp.com/album/x", "bandcamp"],
      ["in capitals", "HTTPS://WWW.YouTube.COM/", "youtube"],
      ["with a dot at the end", "https://youtube.com./watch", "youtube"],
      ["on another port", "https://youtube.com:8443/", "youtube"],
      ["over plain http", "http://youtube.com/", "youtube"],
      ["with a user name", "https://someone@youtube.com/", "youtube"],
      ["by a short name", "https://youtu.be/jNQXAC9IVRw", "youtube"],
      ["by another short name", "https://redd.it/abc", "reddit"],
      ["by a short name of a cloud", "https://1drv.ms/u/s!abc", "onedrive"],
      ["by a short name of Dropbox", "https://db.tt/abc", "dropbox"],
      ["by a short name of Facebook", "https://fb.watch/abc/", "facebook"],
      ["by a short name of TikTok", "https://vm.tiktok.com/ZM123/", "tiktok"],
      ["by a short name of Spotify", "https://spoti.fi/abc", "spotify"],
      ["by a short name of Amazon", "https://amzn.to/abc", "amazon"],
      ["that makes addresses short", "https://bit.ly/abc", "shortener"],
      ["that makes addresses short for X", "https://t.co/abc", "shortener"],
      ["of its country", "https://www.amazon.co.uk/dp/B000000000", "amazon"],
      [
        "that owns the longest part of its name",
        "https://docs.google.com/document/d/x/edit",
        "google-docs",
      ],
      ["that owns its path", "https://docs.google.com/uc?id=x", "google-drive"],
      ["whose help page it is", "https://help.dropbox.com/", "dropbox"],
      [
        "that many run, by its path",
        "https://social.example/@someone/112233445566778899",
        "mastodon",
      ],
      ["that has shut down", "https://zippyshare.com/v/abc/file.html", "zippyshare"],
    ].map(([story, url, service]) => ownedBy(story!, url!, service!)),
  ));

test("An address that resembles that of a service is not the service's", () =>
  agree(
    [
      "https://notyoutube.com/watch?v=jNQXAC9IVRw",
      "https://youtube.com.evil.net/watch?v=jNQXAC9IVRw",
      "https://www.youtube.com.evil.net/",
      "https://evil.net/youtube.com/watch",
      "https://evil.net/?u=https://youtube.com/",
      "https://evil.net/#youtube.com",
      "https://youtube.com@evil.net/",
      "https://youtube.com%2eevil.net/",
      "https://youtubecom.net/",
      "https://youtube.co/",
      "https://youtube.comm.net/",
      "https://my-youtube.com/",
      "https://youtu.be.evil.net/jNQXAC9IVRw",
      "https://notyoutu.be/jNQXAC9IVRw",
      "https://yоutube.com/", // the second letter is Cyrillic
      "https://xn--yutube-wqf.com/",
      "https://vimeo.com.evil.net/1",
      "https://notvimeo.com/1",
      "https://x.com.evil.net/a/status/1",
      "https://ax.com/a/status/1",
      "https://box.com.evil.net/s/a",
      "https://notbox.com/s/a",
      "https://inbox.com/s/a",
      "https://netflix.com/",
      "https://ok.rules.net/video/1",
      "https://book.ru/video/1",
      "https://vk.com.ru.net/video1_2",
      "https://t.me.evil.net/telegram",
      "https://bit.me/telegram",
      "https://at.co/abc",
      "https://t.co.evil.net/abc",
      "https://amazon.evil/dp/B000000000",
      "https://amazon.com.evil.net/dp/B000000000",
      "https://amazonas.com/",
      "https://google.com/",
      "https://www.google.com/search?q=drive.google.com",
      "https://evildrive.google.com.evil.net/file/d/x",
      "https://github.io/",
      "https://someone.github.io/repo",
      "https://raw.githubusercontent.com.evil.net/a/b",
      "https://mygithub.com/a/b",
      "https://gitlab.example.org/a/b",
      "https://omega.nz/file/a#b",
      "https://mega.nz.evil.net/file/a#b",
      "https://1fichier.com.evil.net/?a",
      "https://21fichier.com/?a",
      "https://pixeldrain.com.evil.net/u/a",
      "https://k2s.cc.evil.net/file/a",
      "https://mediafire.com-download.net/file/a",
      "https://dropbox.com-files.net/s/a",
      "https://dropbox.evil.net/s/a",
      "https://wikipedia.org.evil.net/wiki/A",
      "https://notwikipedia.org/wiki/A",
      "https://instagram.com.evil.net/p/a",
      "https://soundcloud.com.evil.net/a/b",
      "https://imgur.com.evil.net/a",
      "https://doi.org.evil.net/10.1/a",
      "https://zippyshare.com.evil.net/v/a",
      "https://social.example/@someone",
      "https://social.example/@someone/posts",
      "https://social.example/a/@someone/112233445566778899",
      "https://127.0.0.1/youtube.com",
      "https://[::1]/",
      "https://localhost/youtube.com",
      "https://com/",
    ].map((url) => ownedBy("only similar", url, "generic")),
  ));

test("a page of a service that is none of its things is filed with it, and asked like any page", () => {
  for (const url of ["https://www.youtube.com/about/", "https://github.com/", "https://mega.nz/"]) {
    expect(idOf(url)).not.toBe("generic");
    expect(targetOf(catalogue, new URL(url))).toBeNull();
  }
});
