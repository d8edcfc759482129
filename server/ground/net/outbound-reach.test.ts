import { describe, expect, test } from "bun:test";
import { freePort } from "../../../tests/free-port.ts";
import { startRawSite, staysSilent } from "../../../tests/site.ts";
import { answersTcp, canConnect } from "./send.ts";

const LONG_MS = 5000;

describe("a server that takes connections", () => {
  test("is reached and answers, even if it never says a word", async () => {
    const { port, stop } = await startRawSite(staysSilent);

    const reached = await canConnect("127.0.0.1", port, LONG_MS);
    const answers = await answersTcp({ address: "127.0.0.1", port }, LONG_MS);

    await stop();
    expect({ reached, answers }).toEqual({ reached: true, answers: true });
  });
});

describe("a connection that is refused", () => {
  test("was reached, but who refused it is not known", async () => {
    const port = freePort();

    expect(await canConnect("127.0.0.1", port, LONG_MS)).toBe(true);
    expect(await answersTcp({ address: "127.0.0.1", port }, LONG_MS)).toBe(false);
  });
});

test("an address to which there is no way does not answer", async () => {
  expect(await answersTcp({ address: "255.255.255.255", port: 53 }, LONG_MS)).toBe(false);
});
