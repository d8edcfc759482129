import { describe, expect } from "bun:test";
import { eachRow } from "../../tests/each-row.ts";
import { browserOf, storedUserAgent } from "../ground/lib/text.ts";

const WINDOWS = "Mozilla/5.0 (Windows NT 10.0; Win64; x64)";
const MAC = "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7)";
const IPHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X)";
const ANDROID = "Mozilla/5.0 (Linux; Android 10; K)";
const CHROME = "AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0.0.0";
const SAFARI = "AppleWebKit/605.1.15 (KHTML, like Gecko)";

describe("a browser that calls itself", () => {
  eachRow([
    ["Mozilla/5.0 (X11; Linux x86_64; rv:127.0) Gecko/20100101 Firefox/127.0", "Firefox on Linux"],
    [`${WINDOWS} Gecko/20100101 Firefox/127.0`, "Firefox on Windows"],
    [`${IPHONE} ${SAFARI} FxiOS/127.0 Mobile/15E148 Safari/605.1.15`, "Firefox on iPhone"],
    [`${WINDOWS} ${CHROME} Safari/537.36`, "Chrome on Windows"],
    [`${WINDOWS} ${CHROME} Safari/537.36 Edg/126.0.0.0`, "Edge on Windows"],
    [`${WINDOWS} ${CHROME} Safari/537.36 OPR/111.0.0.0`, "Opera on Windows"],
    [`${ANDROID} ${CHROME} Mobile Safari/537.36`, "Chrome on Android"],
    [`${ANDROID} SamsungBrowser/25.0 ${CHROME} Mobile`, "Samsung Internet on Android"],
    [`${MAC} ${SAFARI} Version/17.5 Safari/605.1.15`, "Safari on macOS"],
    [`${IPHONE} ${SAFARI} Version/17.5 Mobile/15E148 Safari/604.1`, "Safari on iPhone"],
    [`Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) ${CHROME}`, "Chrome on ChromeOS"],
    ["Firefox/1", "Firefox"],
    ["curl/8.5.0", "curl/8.5.0"],
    [null, null],
  ])("%p is shown as %p", (userAgent, name) => {
    expect(browserOf(userAgent)).toBe(name);
  });
});

describe("the name that is kept", () => {
  eachRow([
    ["curl/8.5.0", "curl/8.5.0"],
    ["two\r\nlines\u0000", "two lines"],
    ["x".repeat(500), "x".repeat(200)],
    [" \t ", null],
    ["", null],
    [null, null],
  ])("of %p is %p", (userAgent, kept) => {
    expect(storedUserAgent(userAgent)).toBe(kept);
  });
});
