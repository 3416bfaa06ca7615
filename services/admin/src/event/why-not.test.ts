import assert from "node:assert/strict";
import { test } from "node:test";
import { REASONS, type ReasonCode, storedReason } from "@belfry/contracts/reasons";
import { isMeant } from "./own-reasons.ts";
import { whyNot } from "./why-not.ts";

const said = (vendor: object) => ({
  provider: "smtp",
  reason: null,
  vendorStatus: null,
  ...vendor,
});
const refusedBy = (status: string, step: string, vendorAnswer: string | null = null) =>
  said({
    reason: storedReason("mail-server-answered", { status, step }),
    ...{ vendorStatus: status, vendorAnswer },
  });

test("a vendor's code is told as a plain sentence, wherever it stands; what is not known in the vendor's words", () => {
  const failed = (vendor: ReturnType<typeof said>, reason = vendor.reason) =>
    String(whyNot({ status: "failed", reason, vendor })?.sentence);
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
      failed(said({ provider: "postmark", vendorStatus: "406", reason: "Postmark refused it" })),
      "Not delivered: the provider sends nothing more to this address: it has bounced, complained or unsubscribed there.",
    ],
    [
      failed(said({ provider: "ses", vendorStatus: "AccountSuspendedException", reason: "x" })),
      "Not delivered: the provider refuses the account: its key, its credit or what it may do.",
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
    ...{
      status: "failed",
      reason: storedReason("retries-exhausted", {
        why: storedReason("no-connection-to-vendor", { code: "ECONNRESET" }),
      }),
    },
    tries: 8,
  };
  assert.equal(
    String(whyNot(exhausted)?.sentence),
    "Not delivered: the provider could not be reached. There were 8 attempts.",
  );
});

test("of what a receipt has told the words are the vendor's, whatever they begin with", () => {
  const receipt = (words: object) => said({ provider: "sendgrid", ...words });
  const bounced = (vendor: ReturnType<typeof said> & { vendorAnswer?: string }) =>
    String(whyNot({ status: "bounced", reason: vendor.vendorAnswer ?? null, vendor })?.sentence);
  const full = receipt({ vendorStatus: "5.2.2", vendorAnswer: "552 5.2.2 over quota" });
  assert.equal(bounced(full), "Not delivered: the mail server says that the mailbox is full.");
  assert.equal(
    bounced(receipt({ vendorAnswer: "Bounced Address" })),
    "Not delivered: the mail server says that this address does not exist.",
  );
  assert.equal(
    bounced(receipt({ vendorAnswer: "cancelled, says our postmaster" })),
    "Not delivered: cancelled, says our postmaster.",
  );
  assert.equal(
    String(whyNot({ status: "bounced" })?.sentence),
    "Not delivered: the provider reported a bounce without a reason.",
  );
  assert.equal(
    String(whyNot({ status: "complained", reason: null })?.sentence),
    "Delivered, and marked as spam: the recipient marked it as spam.",
  );
});

test("what is under way or has arrived is no question", () => {
  for (const status of ["queued", "sending", "waiting", "accepted", "delivered", "published"]) {
    assert.equal(whyNot({ status, reason: storedReason("no-provider") }), undefined, status);
  }
});

test("a reason of Belfry's own is told with its arguments, and says where to look next", () => {
  const told: [code: ReasonCode, args: Record<string, string>, sentence: string, look?: string][] =
    [
      ["no-template", {}, "there is no active template of this event type for it", "templates"],
      [
        "no-address",
        { field: "recipientEmail" },
        "the event has no email address, and none is in the user’s profile",
        "user",
      ],
      [
        "address-suppressed",
        { reason: "opted out" },
        "the address is suppressed: its owner unsubscribed",
        "suppressions",
      ],
      [
        "turned-off-category",
        { label: "$& {date}", date: "2 Nov 2026", source: "operator" },
        "the user has turned this off for $& {date}, 2 Nov 2026, operator",
        "user",
      ],
      ["cancelled", {}, "it was cancelled before it was sent"],
    ];
  for (const [code, args, says, look] of told) {
    const { sentence, look: place } =
      whyNot({ status: "skipped", reason: storedReason(code, args) }) ?? {};
    assert.equal(String(sentence), `Not sent: ${says}.`);
    assert.equal(place, look);
  }
  // The form that earlier versions have stored.
  assert.equal(
    String(whyNot({ status: "skipped", reason: "tenant inactive" })?.sentence),
    "Not sent: the tenant was not active.",
  );
  assert.equal(
    String(whyNot({ status: "skipped", reason: "no recipientPhone" })?.sentence),
    "Not sent: no recipientPhone.",
  );
});

test("a reason is told in the reader's language, with what its arguments say of ours; a tenant's words stay", () => {
  const skipped = (code: ReasonCode, args: Record<string, string>) =>
    whyNot({ status: "skipped", reason: storedReason(code, args) })?.sentence;
  const off = { label: "no-template", date: "2 Nov 2026", source: "by hand" };
  assert.equal(
    skipped("turned-off-category", off)?.in("de"),
    "Nicht gesendet: Der Nutzer hat das für no-template abgeschaltet, 2 Nov 2026, von Hand.",
  );
  const failed = (language: "de" | "fr") =>
    whyNot({
      ...{ status: "failed", tries: 8 },
      reason: storedReason("retries-exhausted", {
        why: storedReason("no-connection-to-vendor", { code: "ECONNRESET" }),
      }),
    })?.sentence.in(language);
  assert.equal(
    failed("de"),
    "Nicht zugestellt: Der Anbieter war nicht erreichbar. Es gab 8 Versuche.",
  );
  assert.equal(
    failed("fr"),
    "Non remis : le fournisseur était injoignable. Il y a eu 8 tentatives.",
  );
  const refused = refusedBy("550", "RCPT TO", "550 5.1.1 <x>: Recipient address rejected");
  assert.equal(
    whyNot({ status: "failed", reason: refused.reason, vendor: refused })?.sentence.in("fr"),
    "Non remis : le serveur de messagerie indique que cette adresse n’existe pas.",
  );
});

test("what an event was never for is told from what it was not sent on", () => {
  for (const code of ["no-template", "channel-not-allowed", "channel-not-requested"] as const) {
    assert.equal(isMeant(storedReason(code)), false, code);
    assert.equal(isMeant(REASONS[code]), false, code);
  }
  assert.equal(isMeant(storedReason("no-provider")), true);
  assert.equal(isMeant(null), true);
});
