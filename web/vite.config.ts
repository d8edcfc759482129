import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync } from "node:zlib";
import preact from "@preact/preset-vite";
import { defineConfig, type Plugin } from "vite";

/** Below this many bytes compressing saves nothing that anyone would notice. */
const SMALL = 1_000;

/** Puts a compressed copy beside each asset, so that the server never has to make one. */
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

/** Every asset is a file with a hash in its name: the browser may keep it for ever, and nothing is inline. */
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
        // Each that two pages share would be a file of its own, and a request.
        codeSplitting: { groups: [{ name: "icons", test: /lucide-preact/, minShareCount: 2 }] },
      },
    },
  },
});
