import assert from "node:assert/strict";
import test from "node:test";
import type { OutcomeClass } from "@belfry/contracts/sending";
import { SMS, testDeps } from "../test/messages.ts";
import { readWebhook } from "../test/read-webhook.ts";
import { testTextVendor } from "../test/text-vendor.ts";
import { testTextWebhooks } from "../test/text-webhooks.ts";
import { callbackAddress } from "./receipt.ts";
import { checkSettings } from "./settings.ts";
import { twilio, twilioSignature } from "./twilio.ts";

const ACCOUNT = `AC${"0a".repeat(16)}`;
const SERVICE = `MG${"0b".repeat(16)}`;
const API_KEY = `SK${"0c".repeat(16)}`;
const SID = `SM${"0d".repeat(16)}`;
const TOKEN = "t0ken-of-the-account";
const SETTINGS = { accountSid: ACCOUNT, authToken: TOKEN, sender: "+15550100" };
const PUBLIC_URL = "https://mail.example.com/belfry";
const LOCAL_URL = "http://127.0.0.1:4000";
const PATH = `/webhooks/twilio/${SMS.tenantId}?delivery=${SMS.deliveryId}`;

function created(changes: object = {}): string {
  return JSON.stringify({
    sid: SID,
    account_sid: ACCOUNT,
    status: "queued",
    error_code: null,
    error_message: null,
    num_segments: "1",
    ...changes,
  });
}

const CODES: readonly (readonly [number, number, OutcomeClass])[] = [
  [10001, 400, "credentials"],
  [14107, 429, "throttled"],
  [20003, 401, "credentials"],
  [20005, 403, "credentials"],
  [20006, 403, "credentials"],
  [20008, 403, "credentials"],
  [20404, 404, "credentials"],
  [20429, 429, "throttled"],
  [20500, 500, "transient"],
  [20503, 503, "transient"],
  [21211, 400, "permanent"],
  [21212, 400, "credentials"],
  [21265, 400, "permanent"],
  [21266, 400, "permanent"],
  [21408, 403, "policy"],
  [21602, 400, "permanent"],
  [21603, 400, "credentials"],
  [21604, 400, "permanent"],
  [21606, 400, "credentials"],
  [21608, 400, "policy"],
  [21610, 400, "permanent"],
  [21611, 429, "throttled"],
  [21612, 400, "policy"],
  [21614, 400, "permanent"],
  [21617, 400, "permanent"],
  [21635, 400, "permanent"],
  [21659, 400, "credentials"],
  [21660, 400, "credentials"],
  [21701, 404, "credentials"],
  [21703, 400, "credentials"],
  [21705, 400, "credentials"],
  [30001, 429, "throttled"],
  [30002, 403, "credentials"],
  [30003, 400, "deferred"],
  [30004, 400, "policy"],
  [30007, 400, "policy"],
  [30005, 400, "permanent"],
  [30006, 400, "permanent"],
  [30008, 400, "deferred"],
  [63038, 429, "throttled"],
  [99999, 400, "permanent"],
  [99999, 500, "transient"],
];
/** Codes that suppress the number: it is none, or no mobile's, or its owner has answered STOP. */
const SUPPRESSING = {
  21211: "bounced",
  21610: "opted out",
  21614: "bounced",
  30005: "bounced",
} as const;

const ANSWERS: readonly (readonly [string, number, string, OutcomeClass])[] = [
  ["201 with nothing", 201, "", "ambiguous"],
  ["201 with {}", 201, "{}", "ambiguous"],
  ["201 without a message's SID", 201, created({ sid: "CA1" }), "ambiguous"],
  ["200 with a message", 200, created(), "ambiguous"],
  ["a status that is not documented", 201, created({ status: "dreaming" }), "ambiguous"],
  ["a queued message with an error", 201, created({ error_code: 30008 }), "ambiguous"],
  ["a message that failed", 201, created({ status: "failed", error_code: 30006 }), "permanent"],
  ["a suspended account", 201, created({ status: "failed", error_code: 30002 }), "credentials"],
  ["a message accepted for later", 201, created({ status: "accepted" }), "accepted"],
];
const withKey = { apiKeySid: API_KEY };
const basic = (user: string) => `Basic ${Buffer.from(`${user}:${TOKEN}`).toString("base64")}`;

testTextVendor({
  kind: twilio,
  settings: SETTINGS,
  secrets: [TOKEN],
  accept: { status: 201, headers: { "content-type": "application/json" }, body: created() },
  messageId: SID,
  read: ({ body }) => Object.fromEntries(new URLSearchParams(body)),
  path: `/2010-04-01/Accounts/${ACCOUNT}/Messages.json`,
  request: { To: "+12025550123", From: "+15550100", Body: SMS.text },
  headers: {
    accept: "application/json",
    authorization: basic(ACCOUNT),
    "content-type": "application/x-www-form-urlencoded",
  },
  variants: [
    [
      { ...withKey, sender: SERVICE },
      { From: undefined, MessagingServiceSid: SERVICE },
      {},
      { authorization: basic(API_KEY) },
    ],
    [{}, { StatusCallback: PUBLIC_URL + PATH }, { publicUrl: PUBLIC_URL }],
    [{}, {}],
    [{}, { StatusCallback: LOCAL_URL + PATH }, { publicUrl: LOCAL_URL }],
    [withKey, {}, { publicUrl: PUBLIC_URL }],
    [
      { ...withKey, webhookAuthToken: TOKEN },
      { StatusCallback: PUBLIC_URL + PATH },
      { publicUrl: PUBLIC_URL },
    ],
  ],
  errors: [
    ...CODES.map(([code, status, expected]) => {
      const body = { code, message: "What is wrong", more_info: "https://www.twilio.com", status };
      const suppress = SUPPRESSING[code as keyof typeof SUPPRESSING];
      const outcome = {
        class: expected,
        vendorStatus: String(code),
        ...(suppress && { suppress }),
      };
      return [code, { status, body }, outcome] as const;
    }),
    ...ANSWERS.map(
      ([name, status, body, expected]) => [name, { status, body }, { class: expected }] as const,
    ),
  ],
  unclear: ["", "{}", created({ sid: "CA1" })],
  wrong: { accountSid: "AC1/../x", authToken: "", sender: "a\r\nb" },
});

test("Twilio: a sender is a number, a short code, a name or a messaging service", () => {
  for (const sender of ["+15550100", "12345", "Belfry", "B+ 1", "A1"]) {
    assert.deepEqual(checkSettings(twilio, { ...SETTINGS, sender }), [], sender);
  }
  for (const sender of ["++1", "+1", "---", "   ", "1", "+0123456789"]) {
    assert.equal(checkSettings(twilio, { ...SETTINGS, sender }).length, 1, sender);
  }
  assert.deepEqual(checkSettings(twilio, { ...SETTINGS, sender: SERVICE, apiKeySid: API_KEY }), []);
});

const HOOK = "https://mail.example.com/webhooks/twilio/acme";
const ADDRESS = `${HOOK}?delivery=${SMS.deliveryId}`;
const signed = ({ url, body }: { url: string; body: string }, key: string) => ({
  "x-twilio-signature": twilioSignature(key, url, new URLSearchParams(body)),
});
const formOf = (fields: object = {}) =>
  new URLSearchParams({
    ...{ MessageSid: SID, AccountSid: ACCOUNT, From: "+12025550123", To: "+12025550100" },
    ...fields,
  } as Record<string, string>).toString();
const reply = (what: object = {}) =>
  formOf({ Body: "please stop calling", NumMedia: "0", ...what });
const WORDS = /^[a-z'A-Z0-9 ]+$/;

testTextWebhooks({
  kind: twilio,
  key: TOKEN,
  otherKey: "another-account's-token",
  sign: signed,
  url: ADDRESS,
  report: formOf,
  reply,
  unreadable: {
    both: ["", formOf({ MessageSid: "CA1" })],
    reports: [],
    replies: [reply({ From: "" })],
  },
  arrived: { MessageStatus: "delivered" },
  messageId: SID,
  statuses: [
    ["accepted", "queued", "sending", "sent"],
    ["delivered", "delivered", "read"],
    ["bounced", "undelivered", "failed", "canceled"],
    [null, "receiving", "constructor", ""],
  ],
  status: (MessageStatus) => ({ MessageStatus }),
  occurredAt: null,
  failures: [
    ...["21211", "21610", "21614", "30003", "30004", "30005", "30006", "30007", "30008"].map(
      (ErrorCode) =>
        [
          { MessageStatus: "undelivered", ErrorCode },
          {
            suppress: SUPPRESSING[Number(ErrorCode) as keyof typeof SUPPRESSING] ?? null,
            vendorStatus: ErrorCode,
            reason: WORDS,
          },
        ] as const,
    ),
    [
      { MessageStatus: "failed", ErrorCode: "39999" },
      { suppress: null, vendorStatus: "39999", reason: null },
    ],
    [
      { MessageStatus: "failed", ErrorCode: "30007", ErrorMessage: "Message filtered" },
      { suppress: null, vendorStatus: "30007", reason: "Message filtered" },
    ],
  ],
  foreign: [],
  replies: [
    [{}, { sender: "+12025550123", recipient: "+12025550100", text: "please stop calling" }],
    [{ Body: "größer & 100% = \u0000日本 🎉+" }, { text: "größer & 100% = 日本 🎉+" }],
    [{ Body: " " }, undefined],
    // The vendor itself takes it for an opt-out, in whatever language.
    [{ Body: "ARRET", OptOutType: "STOP" }, { keyword: "stop" }],
    [{ Body: "ARRET", OptOutType: "START" }, { keyword: "start" }],
    [{ Body: "ARRET", OptOutType: "HELP" }, { keyword: undefined }],
    [{ Body: "ARRET", OptOutType: "constructor" }, { keyword: undefined }],
  ],
});

test("Twilio: the delivery stands in the signed address, whose port may be missing; none is not ours", async () => {
  const body = formOf({ MessageStatus: "delivered" });
  const read = async (url: string, signedUrl: string) => {
    const headers = signed({ url: signedUrl, body }, TOKEN);
    const request = { headers, body: Buffer.from(body), url };
    return await readWebhook(twilio.receipts!, request, [TOKEN], new Date());
  };
  for (const url of [HOOK, ADDRESS.replace(SMS.deliveryId, "1001")]) {
    assert.deepEqual(await read(url, url), { ok: true, receipts: [] });
  }
  for (const [url, signedUrl] of [
    [ADDRESS, ADDRESS.replace(".com/", ".com:443/")],
    [ADDRESS.replace(".com/", ".com:8443/"), ADDRESS],
  ] as const) {
    const found = await read(url, signedUrl);
    assert.equal(found.ok && found.receipts[0]?.kind, "delivered");
  }
  const other = ADDRESS.replace(SMS.deliveryId, SMS.eventId);
  assert.deepEqual(await read(other, ADDRESS), { ok: false, fault: "forged" });
});

test("Twilio: a form with another field than were signed is forged", async () => {
  const url = `${HOOK}/inbound`;
  const headers = signed({ url, body: reply() }, TOKEN);
  for (const body of [reply({ From: "+12025550199" }), `${reply()}&OptOutType=STOP`]) {
    const request = { headers, body: Buffer.from(body), url };
    const read = await readWebhook(twilio.inbound!, request, [TOKEN], new Date());
    assert.deepEqual(read, { ok: false, fault: "forged" });
  }
});

test("Twilio: the vendor's published example is signed as it says", () => {
  const form = new URLSearchParams({
    CallSid: "CA1234567890ABCDE",
    Caller: "+14158675309",
    Digits: "1234",
    From: "+14158675309",
    To: "+18005551212",
  });
  const url = "https://mycompany.com/myapp.php?foo=1&bar=2";
  assert.equal(twilioSignature("12345", url, form), "RSOYDt4T1cUTdK1PDd93/VVr8B8=");
});

test("Twilio: the key is the account's token: the secret of an API key signs no webhook", () => {
  assert.equal(twilio.inbound!.keyOf({ authToken: "a" }), "a");
  assert.equal(twilio.inbound!.keyOf({ authToken: "a", apiKeySid: "SK" }), undefined);
  assert.equal(
    twilio.inbound!.keyOf({ authToken: "a", apiKeySid: "SK", webhookAuthToken: "b" }),
    "b",
  );
  assert.equal(twilio.inbound!.keyOf({}), undefined);
});

test("Twilio: a private address is named only where providers may have private addresses, too", () => {
  const of = (publicUrl: string, allowPrivateAddresses: boolean) => {
    const deps = testDeps({ publicUrl, allowPrivateAddresses });
    return callbackAddress(twilio.receipts!, { authToken: TOKEN }, deps, { tenantId: "acme" });
  };
  assert.equal(of("http://127.0.0.1:4000", false), undefined);
  assert.equal(of("", true), undefined);
  assert.equal(of("http://127.0.0.1:4000", true), "http://127.0.0.1:4000/webhooks/twilio/acme");
});
