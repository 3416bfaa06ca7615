import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import test from "node:test";
import type { SendOutcome } from "@belfry/contracts/sending";
import { SMTP_ANSWERS, smtpFailure } from "./smtp-failure.ts";

const PAGE = new URL("../../../docs/delivery-contract.md", import.meta.url);
const COMMANDS: Readonly<Record<string, string>> = {
  CONN: "CONN",
  EHLO: "EHLO",
  AUTH: "AUTH PLAIN",
  MAIL: "MAIL FROM",
  RCPT: "RCPT TO",
  DATA: "DATA",
};
/** The outcome of each row of the page. */
const ROWS: Readonly<Record<string, string>> = {
  "the message, for now": "deferred",
  "the message, for good": "permanent",
  "the address, which is gone": "permanent, bounced",
  "the rules of this provider": "policy",
  "the account, as one message shows": "credentials of one message",
  "the account or its settings": "credentials",
  "the account's rate": "throttled",
  "the server": "transient",
};

test("each answer of the delivery contract's table is judged as its row says", async () => {
  const [, table = ""] = (await readFile(PAGE, "utf8")).split(
    /<!-- smtp-answers:(?:begin|end) -->/,
  );
  const subjects: string[] = [];
  for (const row of table.trim().split("\n").slice(2)) {
    const [, answers = "", subject = ""] = row.split(/ ?\| ?/);
    const expected = ROWS[subject];
    subjects.push(subject);
    for (const [answer, step, response] of answers.matchAll(/`([A-Z]{4}) (\d{3} [^`]+)`/g)) {
      assert.equal(inWords(judged(step!, response!)), expected, answer);
    }
  }
  assert.deepEqual(subjects, Object.keys(ROWS));
});

test("what a person may be called is none of the words that an answer is judged by", () => {
  for (const words of SMTP_ANSWERS.flatMap((row) => row.words)) {
    assert.match(words, /^[a-z0-9]+( [a-z0-9]+)+$/);
  }
  const named = judged(
    "RCPT",
    "450 4.2.0 <daily.sending-quota.user_unknown@example.com>: Greylisted",
  );
  assert.equal(named.class, "deferred");
});

test("the first line of a longer answer has its code, and the words may stand in any", () => {
  const judgedLines = (...lines: string[]) => inWords(judged("RCPT", lines.join("\n")));
  assert.equal(
    judgedLines("550-5.4.5 Limit", "550 5.4.5 see https://example.com"),
    "credentials of one message",
  );
  assert.equal(judgedLines("550-No", "550 Relay access denied"), "credentials of one message");
  assert.equal(judgedLines("550 5.7.100.1 is no code"), "permanent");
});

function judged(step: string, response: string): SendOutcome {
  const responseCode = Number(response.slice(0, 3));
  return smtpFailure({ command: COMMANDS[step], response, responseCode }, false, []);
}

function inWords({ class: outcomeClass, ofOneMessage, suppress }: SendOutcome): string {
  if (suppress !== undefined) return `${outcomeClass}, ${suppress}`;
  return ofOneMessage ? `${outcomeClass} of one message` : outcomeClass;
}
