import preact from "@preact/preset-vite";
import { defineConfig } from "vite";

/** Every asset is a file with a hash in its name: the browser may keep it for ever, and nothing is inline. */
export default defineConfig({
  plugins: [preact()],
  build: {
    outDir: "dist",
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: "es2023",
  },
});
