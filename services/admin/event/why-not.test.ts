import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { OWN_REASONS } from "./own-reasons.ts";
import { whyNot } from "./why-not.ts";

const said = (vendor: object) => ({
  provider: "smtp",
  reason: null,
  vendorStatus: null,
  ...vendor,
});
const refusedBy = (status: string, step: string, vendorAnswer: string | null = null) =>
  said({
    reason: `the mail server answered ${status} to ${step}`,
    ...{ vendorStatus: status, vendorAnswer },
  });

test("a vendor's code is told as a plain sentence, wherever it stands; what is not known in the vendor's words", () => {
  const failed = (vendor: ReturnType<typeof said>, reason = vendor.reason) =>
    whyNot({ status: "failed", reason, vendor })?.sentence;
  const sentences: [string | undefined, string][] = [
    [
      failed(refusedBy("550", "RCPT TO", "550 5.1.1 <x>: Recipient address rejected")),
      "Not delivered: the mail server says that this address does not exist.",
    ],
    [
      failed(refusedBy("550", "RCPT TO", "550 no such user, see 10.5.1.1 or 5.1.1.2")),
      "Not delivered: the mail server says that this address does not exist, or takes no mail from you.",
    ],
    [
      failed(refusedBy("550", "DATA", "550 5.4.5 Daily user sending limit exceeded")),
      "Not delivered: the mail server says that this account has sent as much as it may for now.",
    ],
    [
      failed(refusedBy("535", "the login")),
      "Not delivered: the mail server refuses the user name and password of the settings.",
    ],
    [
      failed(refusedBy("599", "DATA", "599 nobody knows")),
      "Not delivered: the mail server answered 599 to DATA.",
    ],
    [
      failed(
        said({ provider: "twilio", vendorStatus: "21614", reason: "Twilio refused it (21614)" }),
      ),
      "Not delivered: the provider says that this number is no mobile phone.",
    ],
    [
      failed(
        said({ provider: "twilio", vendorStatus: "constructor", reason: "Twilio refused it" }),
      ),
      "Not delivered: Twilio refused it.",
    ],
  ];
  for (const [sentence, expected] of sentences) assert.equal(sentence, expected);
  const exhausted = {
    ...{ status: "failed", reason: "retries exhausted: no connection to the vendor (ECONNRESET)" },
    tries: 8,
  };
  assert.equal(
    whyNot(exhausted)?.sentence,
    "Not delivered: the provider could not be reached. There were 8 attempts.",
  );
});

test("of what a receipt has told the words are the vendor's, whatever they begin with", () => {
  const receipt = (words: object) => said({ provider: "sendgrid", ...words });
  const bounced = (vendor: ReturnType<typeof said>) =>
    whyNot({ status: "bounced", reason: vendor.reason, vendor })?.sentence;
  const full = receipt({ vendorStatus: "5.2.2", reason: "552 5.2.2 over quota" });
  assert.equal(bounced(full), "Not delivered: the mail server says that the mailbox is full.");
  assert.equal(
    bounced(receipt({ reason: "Bounced Address" })),
    "Not delivered: the mail server says that this address does not exist.",
  );
  assert.equal(
    bounced(receipt({ reason: "cancelled, says our postmaster" })),
    "Not delivered: cancelled, says our postmaster.",
  );
  assert.equal(
    whyNot({ status: "bounced" })?.sentence,
    "Not delivered: the provider reported a bounce without a reason.",
  );
  assert.equal(
    whyNot({ status: "complained", reason: null })?.sentence,
    "Delivered, and marked as spam: the recipient marked it as spam.",
  );
});

test("what is under way or has arrived is no question", () => {
  for (const status of ["queued", "sending", "waiting", "accepted", "delivered", "published"]) {
    assert.equal(whyNot({ status, reason: "no active provider" }), undefined, status);
  }
});

test("every reason of Belfry's own has its sentence, and no row hides one behind it", async () => {
  for (const { begins, says, look } of OWN_REASONS) {
    const { sentence, look: place } =
      whyNot({ status: "skipped", reason: `${begins}$& rest` }) ?? {};
    assert.equal(sentence, `Not sent: ${says.replace("{rest}", () => "$& rest")}.`);
    assert.equal(place, look);
  }
  const functions = import.meta.resolve("@belfry/database/functions/settle-deliveries");
  const reasons: string[] = [];
  for (const name of ["claim-deliveries", "cancel-events", "digests", "release-deliveries"]) {
    const sql = await readFile(new URL(`${name}.sql`, functions), "utf8");
    for (const [, words = ""] of sql.matchAll(/\b(?:reason|why) :?= (?:case [^']*)?'([^']+)'/g)) {
      reasons.push(words);
    }
  }
  assert.ok(reasons.length > 10, `${reasons}`);
  const without = reasons.filter(
    (words) =>
      !/^(retries exhausted: |quiet hours until )$/.test(words) &&
      !OWN_REASONS.some(({ begins }) => begins.startsWith(words) || words.startsWith(begins)),
  );
  assert.deepEqual(without, []);
});
