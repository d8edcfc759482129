import { describe, expect, test } from "bun:test";
import { eachRow } from "../../../tests/each-row.ts";
import { listOf, rdap } from "../../../tests/registry.ts";
import {
  type NoAnswer,
  type RegistryAnswer,
  readAnswer,
  readServerList,
  serverOf,
} from "./rdap.ts";
import {
  type Answered,
  afterAnswer,
  certificateReports,
  isRegisteredAgain,
  isUnconfirmed,
  UNASKED,
} from "./registry.ts";

const NOW = Date.parse("2030-06-01T00:00:00Z");
const DAY = 86_400_000;
const bytes = (text: string) => new TextEncoder().encode(text);
const REGISTRATION = { registration: "2009-05-03T00:00:00Z" };

const read = (body: string, status = 200, isFromServer = true) =>
  readAnswer({ status, body: bytes(body), isFromServer }, "example.com", NOW);

describe("A registry's answer", () => {
  test("has the registration and the expiration of the domain itself", () => {
    const contact = { objectClassName: "entity", events: [{ eventAction: "registration" }] };
    const events = {
      ...REGISTRATION,
      expiration: "2031-05-03T04:00:00+04:00",
      transfer: "2030-05-01T00:00:00Z",
      "last update of RDAP database": "2030-05-31T00:00:00Z",
    };

    expect(read(rdap("EXAMPLE.COM.", events, { entities: [contact] }))).toEqual({
      kind: "known",
      registeredAt: Date.parse("2009-05-03"),
      expiresAt: Date.parse("2031-05-03"),
    });
  });

  test("has the latest registration of several", () => {
    const events = { ...REGISTRATION, reregistration: "2030-05-01T12:00:00" };

    expect(read(rdap("example.com", events))).toMatchObject({
      registeredAt: Date.parse("2030-05-01T12:00:00Z"),
    });
  });

  eachRow<[string, string, number, boolean, NoAnswer | RegistryAnswer]>([
    ["404 without a body", "", 404, true, { kind: "absent" }],
    ["404 with the error of RDAP", '{"errorCode":404}', 404, true, { kind: "absent" }],
    ["404 of another server", "", 404, false, "not_rdap"],
    ["404 with a page", "<h1>Not found</h1>", 404, true, "not_rdap"],
    ["404 of a gateway", '{"message":"no route"}', 404, true, "not_rdap"],
    ["429", "", 429, true, "rate_limited"],
    ["500", "", 500, true, "refused"],
    ["403", rdap("example.com"), 403, true, "refused"],
    ["a page", "<html>", 200, true, "not_rdap"],
    ["an error with status 200", '{"errorCode":404}', 200, true, "not_rdap"],
    ["a domain with an error", rdap("example.com", {}, { errorCode: 500 }), 200, true, "not_rdap"],
    ["another domain", rdap("example.net", REGISTRATION), 200, true, "other_domain"],
    [
      "a registration to come",
      rdap("example.com", { registration: "2031-01-01T00:00:00Z" }),
      200,
      true,
      "bad_dates",
    ],
    ["an early date", rdap("example.com", { expiration: "1970-01-01" }), 200, true, "bad_dates"],
    ["no date", rdap("example.com", { registration: "yesterday" }), 200, true, "bad_dates"],
  ])("is not made of more than it says: %p", (_, body, status, isFromServer, expected) => {
    expect(read(body, status, isFromServer)).toEqual(expected);
  });
});

describe("The list of servers", () => {
  const list = readServerList(
    bytes(
      listOf([
        [
          ["com", "NET"],
          ["http://a.example/", "https://a.example/rdap"],
        ],
        [["uk"], ["https://uk.example/"]],
        [["co.uk"], ["https://co-uk.example/"]],
        [["old"], ["http://old.example/"]],
      ]),
    ),
  )!;

  test("names the server of the longest ending, and https only", () => {
    expect(
      ["a.com", "a.net", "a.org.uk", "a.co.uk", "a.old", "a.constructor"].map((domain) =>
        serverOf(list, domain),
      ),
    ).toEqual([
      "https://a.example/rdap/",
      "https://a.example/rdap/",
      "https://uk.example/",
      "https://co-uk.example/",
      null,
      null,
    ]);
  });

  test("is not taken from something else", () => {
    expect([readServerList(bytes("<html>")), readServerList(bytes("{}"))]).toEqual([null, null]);
  });
});

describe("What is known of a domain", () => {
  const nothing: Answered = { ...UNASKED, registrationSeenAt: null, absentSince: null };
  const registered = (registeredAt: number) =>
    ({ kind: "known", registeredAt, expiresAt: null }) as const;
  const absent = { kind: "absent" } as const;

  test("needs two answers a day apart for a registration", () => {
    const first = afterAnswer(nothing, registered(NOW), NOW);
    const soon = afterAnswer(first, registered(NOW), NOW + DAY - 1);
    const later = afterAnswer(soon, registered(NOW), NOW + DAY);
    const other = afterAnswer(later, registered(NOW + 5), NOW + 2 * DAY);

    expect([first, soon, later, other].map(({ registrationConfirmedAt: at }) => at)).toEqual([
      null,
      null,
      NOW + DAY,
      null,
    ]);
    expect([first, soon, later].map((each) => isUnconfirmed(each, NOW - DAY))).toEqual([
      true,
      true,
      false,
    ]);
  });

  test("needs two answers a day apart for its absence, which it keeps once it is back", () => {
    const first = afterAnswer(nothing, absent, NOW);
    const second = afterAnswer(first, absent, NOW + DAY);
    const back = afterAnswer(second, registered(NOW + 2 * DAY), NOW + 3 * DAY);
    const gone = afterAnswer(back, absent, NOW + 9 * DAY);

    expect([first, second, back, gone].map(({ absentConfirmedAt: at }) => at)).toEqual([
      null,
      ...[NOW + DAY, NOW + DAY, NOW + DAY],
    ]);
    expect([isUnconfirmed(first, 0), isUnconfirmed(second, 0), isUnconfirmed(gone, 0)]).toEqual([
      true,
      false,
      true,
    ]);
  });

  test("shows that it was registered again only well after the page was remembered", () => {
    const at = (hours: number) => ({
      state: "known" as const,
      registeredAt: NOW + hours * 3_600_000,
    });

    expect([-9999, 0, 47, 48].map((hours) => isRegisteredAgain(at(hours), NOW))).toEqual([
      ...[false, false, false, true],
    ]);
  });
});

test("A certificate is reported by its lifetime: at a sixth of it, 14 days at most, and at a third of that", () => {
  const reports = (lifetime: number, left: number) =>
    certificateReports(NOW + left * DAY, lifetime * DAY, NOW);

  expect([16, 14.5, 13.5, 5, 4, 0].map((left) => reports(365, left))).toEqual([0, 0, 1, 1, 2, 0]);
  expect([16, 13, 4].map((left) => reports(90, left))).toEqual([0, 1, 2]);
  expect([8, 7, 2].map((left) => reports(47, left))).toEqual([0, 1, 2]);
  expect([2, 1, 0.9, 0.3].map((left) => reports(6, left))).toEqual([0, 0, 1, 2]);
  expect(certificateReports(NOW + DAY, null, NOW)).toBe(0);
});
