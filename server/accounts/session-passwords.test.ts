import { describe, expect, test } from "bun:test";
import { eachRow } from "../../tests/each-row.ts";
import { readConfig } from "../ground/config/config.ts";
import {
  createPasswords,
  hashPassword,
  passwordProblem,
  SHORTEST_WITH_CODE,
} from "../ground/lib/passwords.ts";

const PASSWORD_MEMORY_MB = 64;
/** Where only the order of many matters. */
const LITTLE_MB = 1;

const SHORT = "must have at least 15 characters";
const LONG = "must have at most 256 characters";
const COMMON = "is one of the commonest; choose another";
const BROKEN = "must be valid Unicode (it has a lone surrogate)";

test("hashing a password takes 64 MB unless the settings say otherwise", () => {
  expect(readConfig({}).passwordMemoryMb).toBe(PASSWORD_MEMORY_MB);
});

describe("a new password", () => {
  eachRow([
    ["fifteen characters", "abcdefghijklmno", null],
    ["fourteen characters", "abcdefghijklmn", SHORT],
    ["nothing", "", SHORT],
    ["a common short one", "password", SHORT],
    ["a short one of all kinds", "Tr0ub4dor&3", SHORT],
    ["fifteen spaces", " ".repeat(15), null],
    ["spaces around", "  my long secret  ", null],
    ["words", "correct horse battery staple", null],
    ["a sentence with signs", "Is this 1 password? No: it's two!", null],
    ["only small letters", "zbqmwdkrhtnvxly", null],
    ["only capitals", "ZBQMWDKRHTNVXLY", null],
    ["only rare digits", "830174629538201", null],
    ["only signs", "!?#%&/()=+*-_.;", null],
    ["quotes and backslashes", "'\"\\'\"\\'\"\\'\"\\'\"\\", null],
    ["an SQL attempt", "'; drop table users; --", null],
    ["a tab and a line break", "tabs\tand\nbreaks are fine", null],
    ["a NUL", "nul\u0000is a character too", null],
    ["umlauts", "äöüÄÖÜßäöüÄÖÜßä", null],
    ["fourteen umlauts of two parts each", "a\u0308".repeat(14), SHORT],
    ["fifteen umlauts of two parts each", "a\u0308".repeat(15), null],
    ["Greek", "δεκαπέντεγράμμα", null],
    ["Cyrillic", "пятнадцатьбуквда", null],
    ["Japanese", "いろはにほへとちりぬるをわかよ", null],
    ["fourteen Japanese letters", "いろはにほへとちりぬるをわか", SHORT],
    ["Arabic", "كلمةالسرالطويلةجدا", null],
    ["fifteen faces", "😀".repeat(15), null],
    ["fourteen faces, 28 halves", "😀".repeat(14), SHORT],
    ["half a face", `${"a".repeat(15)}\ud83d`, BROKEN],
    ["256 characters", "aB3$".repeat(64), null],
    ["257 characters", `${"aB3$".repeat(64)}x`, LONG],
    ["256 faces", "😀".repeat(256), null],
    ["257 faces", "😀".repeat(257), LONG],
    ["twice the commonest", "passwordpassword", COMMON],
    ["the same in capitals", "PASSWORDPASSWORD", COMMON],
    ["the same, mixed", "PasswordPassword", COMMON],
    ["digits there and back", "123456789987654321", COMMON],
    ["ones", "111111111111111", COMMON],
    ["columns of the keyboard", "1qaz2wsx3edc4rfv", COMMON],
    ["a row of the keyboard and digits", "qwertyuiop12345", COMMON],
    ["one that leaked by the thousands", "PolniyPizdec0211", COMMON],
    ["a common one with more behind it", "passwordpassword of mine", null],
  ])("%s", async (_name, password, problem) => {
    expect(await passwordProblem(password)).toBe(problem);
  });
});

describe("a new password together with a code", () => {
  eachRow([
    ["eight characters", "zbqmwdkr", null],
    ["seven characters", "zbqmwdk", "must have at least 8 characters"],
    ["seven faces, 14 halves", "😀".repeat(7), "must have at least 8 characters"],
    ["the commonest", "password", COMMON],
    ["the same, mixed", "PassWord", COMMON],
    ["digits in a row", "123456789", COMMON],
    ["columns of the keyboard", "1qaz2wsx", COMMON],
    ["a row of the keyboard", "qwertyuiop", COMMON],
    ["a common long one", "passwordpassword", COMMON],
    ["257 characters", "aB3$".repeat(64).concat("x"), LONG],
  ])("%s", async (_name, password, problem) => {
    expect(await passwordProblem(password, SHORTEST_WITH_CODE)).toBe(problem);
  });
});

describe("a kept password", () => {
  test("is an argon2id hash with these parameters, and never the same twice", async () => {
    const [one, other] = await Promise.all([
      hashPassword("same", PASSWORD_MEMORY_MB),
      hashPassword("same", PASSWORD_MEMORY_MB),
    ]);

    expect(one).toStartWith("$argon2id$v=19$m=65536,t=2,p=1$");
    expect(one).not.toBe(other);
    expect(createPasswords(PASSWORD_MEMORY_MB).isOutdated(one)).toBe(false);
  });

  test("takes less memory on a small machine, and its hash is outdated where there is more", async () => {
    const small = createPasswords(19);

    const hash = await small.hash("same");

    expect(hash).toStartWith("$argon2id$v=19$m=19456,t=2,p=1$");
    expect(small.isOutdated(hash)).toBe(false);
    expect(createPasswords(PASSWORD_MEMORY_MB).isOutdated(hash)).toBe(true);
    expect(await createPasswords(PASSWORD_MEMORY_MB).verify("same", hash)).toBe(true);
  });

  test("is the same text however the accents were typed", async () => {
    const hash = await hashPassword("u\u0308ber den Wolken oben", PASSWORD_MEMORY_MB);

    expect(
      await createPasswords(PASSWORD_MEMORY_MB).verify("\u00fcber den Wolken oben", hash),
    ).toBe(true);
  });

  test("the password of an unknown user is never right, and is verified all the same", async () => {
    expect(await createPasswords(PASSWORD_MEMORY_MB).verify("any password", null)).toBe(false);
  });

  test("two are hashed at once, 32 wait, and more are sent away", async () => {
    const { hash } = createPasswords(LITTLE_MB);

    const outcomes = await Promise.allSettled(Array.from({ length: 36 }, () => hash("x")));

    const refused = outcomes.filter(({ status }) => status === "rejected");
    expect(refused).toHaveLength(2);
    expect(refused).toMatchObject(
      Array(2).fill({ reason: { code: "SERVICE_UNAVAILABLE", headers: { "retry-after": "5" } } }),
    );
  });

  test("a network that fills the queue keeps no other network out, and gives up its last places", async () => {
    const { hash } = createPasswords(LITTLE_MB);
    const ended: string[] = [];
    const from = (network: string, times: number) =>
      Array.from({ length: times }, () =>
        hash("x", network).then(
          () => ended.push(network),
          () => ended.push(`${network} refused`),
        ),
      );

    await Promise.all([...from("one", 34), ...from("other", 2), ...from("third", 1)]);

    const done = ended.filter((name) => !name.includes("refused"));
    expect(ended.filter((name) => name === "one refused")).toHaveLength(3);
    expect(done.filter((name) => name !== "one")).toHaveLength(3);
    // Two are hashed already, then each network has a turn. Two at a time, so one may overtake another.
    expect(done.slice(0, 12).filter((name) => name !== "one")).toHaveLength(3);
  });
});
