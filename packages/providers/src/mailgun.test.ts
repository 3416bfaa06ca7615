import assert from "node:assert/strict";
import test from "node:test";
import { testEmailVendor } from "../test/email-vendor.ts";
import { EMAIL } from "../test/messages.ts";
import { providerAtVendor } from "../test/provider-at-vendor.ts";
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
