import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
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

/** Asset names contain a hash, so browsers may cache them for ever. Nothing is inline. */
export default defineConfig({
  plugins: [preact(), compressed()],
  build: {
    outDir: "dist",
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: "es2023",
    rolldownOptions: {
      output: {
        // Otherwise each icon that two pages share would be a separate file and request.
        codeSplitting: { groups: [{ name: "icons", test: /lucide-preact/, minShareCount: 2 }] },
      },
    },
  },
});
