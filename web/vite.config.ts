import { createHash } from "node:crypto";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, parse } from "node:path";
import { brotliCompressSync } from "node:zlib";
import preact from "@preact/preset-vite";
import { defineConfig, type Plugin } from "vite";

/** Smaller files are not worth compressing. */
const SMALL = 1_000;

/** Compresses assets at build time, so that the server does not have to. */
const compressed = (): Plugin => ({
  name: "compressed",
  writeBundle({ dir = "" }) {
    const folder = join(dir, "assets");
    for (const name of readdirSync(folder)) {
      const bytes = readFileSync(join(folder, name));
      if (bytes.length >= SMALL)
        writeFileSync(join(folder, `${name}.br`), brotliCompressSync(bytes));
    }
  },
});

/** The letters of most pages; others load only where they occur. */
const FONT = /geist-latin-wght-normal.*\.woff2$/;
const THEME = /theme-.*\.js$/;

/**
 * Puts two things before the style sheet: the script that sets the theme, so that nothing flashes, and the font, which
 * the browser would otherwise find only in the style sheet.
 */
const early = (): Plugin => ({
  name: "early",
  buildStart() {
    if (this.environment.mode !== "build") return;
    const source = readFileSync(join(import.meta.dirname, "src/theme.js"), "utf8");
    this.emitFile({
      type: "asset",
      name: "theme.js",
      source: source.replace(/^\/\*.*?\*\/\s*/s, ""),
    });
    // The font's license has to accompany it (OFL-1.1, condition 2).
    const license = join(import.meta.dirname, "../node_modules/@fontsource-variable/geist/LICENSE");
    this.emitFile({ type: "asset", name: "geist-license.txt", source: readFileSync(license) });
  },
  transformIndexHtml: {
    order: "post",
    handler: (html, { bundle = {} }) => {
      const named = (pattern: RegExp) => Object.keys(bundle).find((name) => pattern.test(name));
      const theme = `<script src="./${named(THEME) ?? "src/theme.js"}"></script>`;
      const font = named(FONT);
      const preload =
        font && `<link rel="preload" as="font" type="font/woff2" crossorigin href="./${font}" />`;
      return html.replace(/<title>/, [theme, preload, "$&"].filter(Boolean).join("\n    "));
    },
  },
});

const ICONS = [
  { file: "icon-192.png", sizes: "192x192", purpose: "any" },
  { file: "icon-512.png", sizes: "512x512", purpose: "any" },
  { file: "icon-maskable.png", sizes: "512x512", purpose: "maskable" },
];

/** Lets people keep the dashboard among their apps (W3C Web Application Manifest). Its addresses are relative to its own. */
const manifest = (): Plugin => {
  const made = new Map<string, string | Buffer>();
  const named = (file: string, source: string | Buffer) => {
    const { name, ext } = parse(file);
    const hash = createHash("sha256").update(source).digest("hex").slice(0, 8);
    const fileName = `${name}-${hash}${ext}`;
    made.set(`assets/${fileName}`, source);
    return fileName;
  };
  const icons = ICONS.map(({ file, ...icon }) => ({
    src: named(file, readFileSync(join(import.meta.dirname, "src/icons", file))),
    type: "image/png",
    ...icon,
  }));
  const app = {
    name: "Stillup",
    description: "Watches links",
    start_url: "../",
    scope: "../",
    display: "standalone",
    background_color: "#f8f7f4",
    theme_color: "#f8f7f4",
    icons,
  };
  const file = named("manifest.webmanifest", JSON.stringify(app));
  const tags = [
    `<link rel="manifest" href="./assets/${file}" />`,
    `<link rel="apple-touch-icon" href="./assets/${icons.at(-1)!.src}" />`,
  ];
  return {
    name: "manifest",
    apply: "build",
    buildStart() {
      for (const [fileName, source] of made) this.emitFile({ type: "asset", fileName, source });
    },
    transformIndexHtml: {
      order: "post",
      handler: (html) => html.replace(/<title>/, [...tags, "$&"].join("\n    ")),
    },
  };
};

/**
 * Asset names contain a hash, so browsers may cache them for ever. Nothing is inline. Files refer to each other by
 * relative paths; the server puts the path below which it serves them into the page.
 */
export default defineConfig({
  base: "./",
  plugins: [preact(), early(), manifest(), compressed()],
  build: {
    outDir: "dist",
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: "es2023",
    rolldownOptions: {
      input: ["index.html", "src/brand.css"].map((file) => join(import.meta.dirname, file)),
      output: {
        // Otherwise each part and icon that two pages share would be a separate file and request. What only signing in
        // and settings use is not needed by the first view, nor are the report of a check, its evidence, choices that
        // ask the server, and the parsers of lists.
        codeSplitting: {
          groups: [
            {
              name: "shared",
              test: /node_modules\/(?!htmlparser2|entities|@lezer)|src\/(ui|data|frame)\/(?!provider|secrets|found|group-pick|alerts|source-|report|evidence)/,
              minShareCount: 2,
            },
          ],
        },
      },
    },
  },
});
