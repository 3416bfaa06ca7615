import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import test from "node:test";
import { testEmailVendor, testVendorReceipts } from "../test/email-vendor.ts";
import { EMAIL } from "../test/messages.ts";
import { providerAtVendor } from "../test/provider-at-vendor.ts";
import { readWebhook } from "../test/read-webhook.ts";
import { mailgun } from "./mailgun.ts";

const API_KEY = "0123456789abcdef-0123456789abcdef";
const SETTINGS = { apiKey: API_KEY, domain: "mg.example.com", from: "shop@example.com" };
const ACCEPT = {
  status: 200,
  headers: { "content-type": "application/json" },
  body: '{"id":"<20261120120000.1.abc@mg.example.com>","message":"Queued. Thank you."}',
};

const error = (status: number, message: string) => ({ status, body: { message } });

testEmailVendor({
  kind: mailgun,
  settings: SETTINGS,
  secrets: [API_KEY],
  accept: ACCEPT,
  messageId: "<20261120120000.1.abc@mg.example.com>",
  path: "/v3/mg.example.com/messages",
  named: '"The Shop" <shop@example.com>',
  read(call) {
    const form = new URLSearchParams(call.body);
    const of = (prefix: string) =>
      Object.fromEntries(
        [...form].flatMap(([name, value]) =>
          name.startsWith(prefix) ? [[name.slice(prefix.length), value]] : [],
        ),
      );
    assert.equal(call.headers["content-type"], "application/x-www-form-urlencoded");
    const basic = Buffer.from(`api:${API_KEY}`).toString("base64");
    assert.equal(call.headers.authorization, `Basic ${basic}`);
    assert.deepEqual(of("o:"), {}, "no option that is not asked for");
    const ids = of("v:");
    assert.deepEqual(Object.keys(ids), ["delivery_id", "tenant_id", "event_id"]);
    const { "Reply-To": replyTo, ...headers } = of("h:");
    return {
      from: form.get("from") ?? undefined,
      to: form.get("to") ?? "",
      cc: form.has("cc") ? form.getAll("cc") : undefined,
      bcc: form.has("bcc") ? form.getAll("bcc") : undefined,
      replyTo,
      subject: form.get("subject") ?? "",
      html: form.get("html") ?? undefined,
      text: form.get("text") ?? undefined,
      headers,
      deliveryId: ids.delivery_id ?? "",
    };
  },
  errors: [
    [
      "a bad recipient",
      error(400, "to parameter is not a valid address. please check documentation"),
      { class: "permanent" },
    ],
    [
      "a bad sender",
      error(400, "'from' parameter is not a valid address. please check documentation"),
      { class: "credentials" },
    ],
    ["Unauthorized", { status: 401 }, { class: "credentials" }],
    ["Payment required", { status: 402 }, { class: "credentials" }],
    [
      "a sandbox domain",
      error(
        403,
        "Domain sandbox1.mailgun.org is not allowed to send: Sandbox subdomains are for test purposes only. Please add your own domain or add the address to authorized recipients in Account Settings.",
      ),
      { class: "credentials", ofOneMessage: true },
    ],
    [
      "an account that is disabled",
      error(403, "Domain mg.example.com is not allowed to send: Account disabled"),
      { class: "credentials" },
    ],
    [
      "a limit of the account",
      error(400, "Domain mg.example.com is not allowed to send: recipient limit exceeded"),
      { class: "credentials", ofOneMessage: true },
    ],
    [
      "an unverified domain",
      error(400, "The domain is unverified and requires DNS configuration."),
      { class: "credentials" },
    ],
    [
      "a domain of the other region",
      error(404, "Domain not found: mg.example.com"),
      { class: "credentials" },
    ],
    ["Request entity too large", { status: 413 }, { class: "permanent" }],
    [
      "Too many requests",
      { ...error(429, "Rate limit exceeded"), headers: { "retry-after": "9" } },
      { class: "throttled", retryAfterSeconds: 9 },
    ],
    ["an internal error", { status: 500 }, { class: "transient" }],
    ["a bad gateway", { status: 502 }, { class: "transient" }],
    ["unavailable", { status: 503 }, { class: "transient" }],
  ],
});

test("Mailgun: in test mode the vendor drops the mail", async (t) => {
  const { vendor, provider } = await providerAtVendor(mailgun, SETTINGS)(t, ACCEPT, {
    testMode: true,
  });
  assert.equal((await provider.send(EMAIL)).class, "accepted");
  assert.equal(new URLSearchParams(vendor.received[0]!.body).get("o:testmode"), "yes");
});

test("Mailgun: a domain is asked for in its own region alone", async (t) => {
  const asked: string[] = [];
  for (const region of [undefined, "us", "eu"]) {
    const settings = region === undefined ? SETTINGS : { ...SETTINGS, region };
    const provider = mailgun.create(settings, {
      allowPrivateAddresses: false,
      timeoutMs: 60_000,
      storeInOutbox: async () => "",
      resolve: async (host) => {
        asked.push(host);
        throw new Error("no network here");
      },
    });
    t.after(() => provider.close());
    assert.equal((await provider.send(EMAIL)).class, "transient");
  }
  assert.deepEqual(asked, ["api.mailgun.net", "api.mailgun.net", "api.eu.mailgun.net"]);
  const wrong = mailgun.create({ ...SETTINGS, region: "mars" }, { ...deps });
  assert.match((await wrong.send(EMAIL)).reason, /region: must be one of: us, eu/);
});

const deps = { allowPrivateAddresses: true, timeoutMs: 60_000, storeInOutbox: async () => "" };

test("what the vendor would replace in a mail is text", async (t) => {
  const accept = { status: 200, headers: {}, body: '{"id":"<a@x>"}' };
  const { vendor, provider } = await providerAtVendor(mailgun, SETTINGS)(t, accept);
  const marks =
    "%recipient.name% %Recipient_email% %unsubscribe_url% %tag_unsubscribe_url% 5% 100%";
  await provider.send({ ...EMAIL, subject: marks, html: `<p>${marks}</p>`, text: marks });
  const form = new URLSearchParams(vendor.received[0]!.body);
  const [subject = "", html = "", text = ""] = ["subject", "html", "text"].map(
    (name) => form.get(name)!,
  );
  for (const part of [subject, html, text]) {
    assert.doesNotMatch(part, /%(recipient|tag_unsubscribe|unsubscribe)/i);
  }
  assert.equal(html.replaceAll("&#37;", "%"), `<p>${marks}</p>`);
  for (const part of [subject, text]) assert.equal(part.replaceAll("\u2060", ""), marks);
});

const TOKEN = "651869375b9df3c98fc15c4889b102119add1235c38fc92824";

const failed = (reason: string, status: object = {}, severity = "permanent") => ({
  event: "failed",
  ...{ severity, reason, "delivery-status": status },
});

testVendorReceipts({
  reader: mailgun.receipts!,
  key: "a-signing-key-of-the-account",
  otherKey: "another-signing-key",
  request(what, deliveryId, key, at) {
    const timestamp = String(at.getTime() / 1000);
    const signature = createHmac("sha256", key).update(`${timestamp}${TOKEN}`).digest("hex");
    // The form of https://documentation.mailgun.com/docs/mailgun/user-manual/webhooks/webhook-payloads
    const body = {
      signature: { timestamp, token: TOKEN, signature },
      "event-data": {
        id: "hTWCTD81RtiDN-",
        timestamp: 1_795_089_598.153125,
        recipient: "ann@example.com",
        "user-variables": { delivery_id: deliveryId },
        ...what,
      },
    };
    return { headers: {}, body: Buffer.from(JSON.stringify(body)), url: "" };
  },
  tamper: (request) => ({
    ...request,
    body: Buffer.from(request.body.toString().replace(TOKEN, `${TOKEN}0`)),
  }),
  oldest: 86_400,
  furthestAhead: 900,
  bounceOf: (recipient) => ({ ...failed("bounce", { code: 550 }), recipient }),
  cases: [
    [
      { event: "delivered", "delivery-status": { code: 250, message: "OK" } },
      "delivered",
      null,
      {
        vendorEvent: TOKEN,
        vendorStatus: "250",
        reason: "OK",
        occurredAt: new Date(1_795_089_598_153),
      },
    ],
    [{ event: "accepted" }, "accepted"],
    [failed("generic", { code: 498, description: "No MX" }, "temporary"), "deferred"],
    [
      failed("bounce", { code: 550, message: "5.1.1 no such user", "bounce-type": "hard" }),
      "bounced",
      "bounced",
      { reason: "5.1.1 no such user", vendorStatus: "550" },
    ],
    [failed("bounce", { code: 550 }), "bounced", "bounced"],
    [failed("bounce", { code: 552, "bounce-type": "soft" }), "bounced"],
    [failed("suppress-bounce", { code: 605 }), "bounced", "bounced"],
    [failed("suppress-complaint", { code: 607 }), "bounced", "complained"],
    [failed("suppress-unsubscribe", { code: 606 }), "bounced", "opted out"],
    [failed("espblock"), "bounced"],
    [failed("old"), "bounced"],
    [failed("constructor"), "bounced"],
    [
      { event: "rejected", reject: { reason: "Sandbox subdomains are for test purposes only" } },
      "bounced",
      null,
      { reason: "Sandbox subdomains are for test purposes only" },
    ],
    [{ event: "complained" }, "complained", "complained"],
    [{ event: "unsubscribed" }, "opted out", "opted out"],
    ...["opened", "clicked", "stored", "list_member_uploaded", "constructor"].map(
      (event) => [{ event }, null] as const,
    ),
  ],
});

test("Mailgun: a signature whose parts are no texts is forged", async () => {
  const odd = { toString: 1 };
  const right = { timestamp: "1795089598", token: TOKEN, signature: "00" };
  for (const part of Object.keys(right)) {
    const body = Buffer.from(JSON.stringify({ signature: { ...right, [part]: odd } }));
    const request = { headers: {}, body, url: "" };
    const read = await readWebhook(mailgun.receipts!, request, ["a-signing-key"], new Date());
    assert.deepEqual(read, { ok: false, fault: "forged" }, part);
  }
});
