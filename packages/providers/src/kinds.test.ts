import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import test from "node:test";
import { promisify } from "node:util";
import { PROVIDER_CHANNELS } from "@belfry/contracts/channels";
import { maskSettings, PROVIDER_KINDS, providerKind } from "./kinds.ts";

const KINDS = PROVIDER_CHANNELS.flatMap((channel) => PROVIDER_KINDS[channel]);

test("each kind is named once a channel and found by its name", () => {
  const names = PROVIDER_CHANNELS.flatMap((channel) =>
    PROVIDER_KINDS[channel].map(({ kind }) => `${channel} ${kind}`),
  );
  assert.deepEqual(names.sort(), [
    "CHAT chat-http",
    "CHAT discord",
    "CHAT mattermost",
    "CHAT pagerduty",
    "CHAT sandbox",
    "CHAT slack",
    "CHAT teams",
    "CHAT telegram",
    "DEVICE apns",
    "DEVICE fcm",
    "DEVICE sandbox",
    "DEVICE webpush",
    "EMAIL brevo",
    "EMAIL http",
    "EMAIL mailgun",
    "EMAIL postmark",
    "EMAIL resend",
    "EMAIL sandbox",
    "EMAIL sendgrid",
    "EMAIL ses",
    "EMAIL smtp",
    "SMS bird",
    "SMS http",
    "SMS plivo",
    "SMS sandbox",
    "SMS sns",
    "SMS telnyx",
    "SMS twilio",
    "SMS vonage",
  ]);
  for (const channel of PROVIDER_CHANNELS) {
    for (const row of PROVIDER_KINDS[channel]) assert.equal(providerKind(channel, row.kind), row);
  }
  for (const channel of PROVIDER_CHANNELS) {
    assert.ok(providerKind(channel, "sandbox"), `${channel}: what the demo sends with`);
  }
  assert.equal(providerKind("EMAIL", "vonage"), undefined);
  assert.equal(providerKind("SMS", "constructor"), undefined);
});

test("a form can be drawn from each schema: every property has a title and a description", () => {
  for (const { kind, settings } of KINDS) {
    assert.equal(settings.additionalProperties, false, kind);
    for (const [field, property] of Object.entries(settings.properties)) {
      assert.ok(property.title && property.description, `${kind}.${field}`);
    }
  }
});

test("a form leads to where a vendor shows each of its values, and receipts to where they are turned on", () => {
  for (const { kind, settings, receipts } of KINDS) {
    const links = Object.values(settings.properties).map(({ link }) => link);
    if (receipts) links.push(receipts.setUp?.link);
    for (const link of links) assert.ok(link === undefined || link.startsWith("https://"), link);
    const isApi = settings.properties.baseUrl !== undefined;
    // A person chooses the values of the other fields.
    const own = ["baseUrl", "fromName", "replyTo"];
    for (const [field, { link, type }] of Object.entries(settings.properties)) {
      const isShown = isApi && type !== "boolean" && !own.includes(field);
      assert.ok(link || !isShown, `${kind}.${field} has no link`);
    }
    assert.ok(!receipts || receipts.askedByMessage || receipts.setUp, `${kind} says no way`);
  }
});

test("every property that holds a credential is a secret", () => {
  const secrets = KINDS.flatMap(({ kind, settings }) =>
    Object.entries(settings.properties)
      .filter(([, property]) => property.secret === true)
      .map(([field]) => `${kind}.${field}`),
  );
  assert.deepEqual(secrets.sort(), [
    "apns.privateKey",
    "bird.accessKey",
    "bird.signingKey",
    "brevo.apiKey",
    "brevo.webhookPassword",
    "chat-http.addresses",
    "chat-http.headers",
    "chat-http.secret",
    "discord.addresses",
    "fcm.serviceAccount",
    "http.headers",
    "http.headers",
    "http.secret",
    "http.secret",
    "mailgun.apiKey",
    "mailgun.webhookSigningKey",
    "mattermost.addresses",
    "pagerduty.addresses",
    "plivo.authToken",
    "postmark.serverToken",
    "postmark.webhookPassword",
    "resend.apiKey",
    "resend.webhookSecret",
    "sendgrid.apiKey",
    "ses.secretAccessKey",
    "slack.addresses",
    "slack.botToken",
    "smtp.oauthClientSecret",
    "smtp.oauthRefreshToken",
    "smtp.password",
    "sns.secretAccessKey",
    "teams.addresses",
    "telegram.botToken",
    "telnyx.apiKey",
    "twilio.authToken",
    "twilio.webhookAuthToken",
    "vonage.apiSecret",
    "vonage.privateKey",
    "vonage.signatureSecret",
    "webpush.previousPrivateKey",
    "webpush.privateKey",
  ]);
});

test("masked settings show no secret, no unknown field and no part of a key file", () => {
  const sendgrid = providerKind("EMAIL", "sendgrid")!;
  assert.deepEqual(
    maskSettings(sendgrid, { apiKey: "SG.0123456789abcdef", from: "a@b.io", token: "old secret" }),
    { apiKey: "•••• cdef", from: "a@b.io", token: "••••" },
  );
  assert.deepEqual(maskSettings(sendgrid, { apiKey: "short" }), { apiKey: "••••" });
  const vonage = providerKind("SMS", "vonage")!;
  const privateKey = "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n";
  assert.deepEqual(maskSettings(vonage, { privateKey }), { privateKey: "••••" });
});

test("a vendor's library is loaded for the first message to it, not with the table", async () => {
  const script = `
    import { registerHooks } from "node:module";
    const loaded = [];
    registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) });
    await import(${JSON.stringify(import.meta.resolve("./kinds.ts"))});
    console.log(JSON.stringify(loaded));`;
  const node = [process.execPath, ["--input-type=module", "--eval", script]] as const;
  const { stdout } = await promisify(execFile)(...node);
  const loaded: string[] = JSON.parse(stdout);
  assert.ok(loaded.some((url) => url.endsWith("/vonage.ts")));
  const libraries = /node_modules\/(@sendgrid|@vonage|nodemailer|undici)\//;
  assert.deepEqual(
    loaded.filter((url) => libraries.test(url)),
    [],
  );
});
