import assert from "node:assert/strict";
import { createHmac, randomUUID } from "node:crypto";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { createBrowser } from "@belfry/admin/test/browser";
import { publishAgain, publishByForm } from "@belfry/admin/test/publish-by-form";
import { startRecordingServer } from "@belfry/testing/recording-server";
import { firstLink, startAdminStack } from "./admin-stack.ts";

const EVENT_TYPE = "order.confirmed";
/** A change is in force in every service within 5 s. */
const IN_FORCE_MS = 6000;
const ACCEPTED = { status: 202, headers: { "x-message-id": "m" } };
const BUSY = ["queued", "sending", "waiting"];

interface Sent {
  status: number;
  eventId: string;
  body: { message?: unknown };
}

test("a change made in the Admin UI is in force in every service soon after, without a restart, whatever was changed", {
  timeout: 240_000,
}, async (t) => {
  const stack = await startAdminStack(t);
  const { adminUrl, apiUrl } = stack.local;
  const operator = createBrowser(adminUrl);
  await operator.join(firstLink(stack), { email: "op@example.com", name: "Olga" });

  /** Through the form's page, as a person would. */
  const post = async (path: string, fields: Record<string, string | string[]> = {}) => {
    const answer = await operator.post(path, fields);
    assert.ok([200, 303].includes(answer.status), `${path}: ${answer.status}`);
    const to = answer.headers.get("location")?.split("?")[0] ?? "";
    return { html: await operator.page(answer), to };
  };
  /** An account that is made here stands last, and is used only once the vendor has accepted a test. */
  const passTest = (path: string, to: string) => post(`${path}/test`, { to, activate: "on" });
  const limits = { name: "Acme", perMinute: "600", dailyCap: "100000" };
  const base = (await post("/tenants", limits)).to.replace("/keys", "");
  let key = textOf((await post(`${base}/keys`)).html, "api-key");
  let secret: string | undefined;

  const trigger = async (more: { eventType?: string; apiKey?: string } = {}): Promise<Sent> => {
    const { eventType = EVENT_TYPE, apiKey = key } = more;
    const payload = {
      ...{ userId: "ada", recipientEmail: "ada@example.com", recipientPhone: "+12025550123" },
    };
    const variables = { order: "A-1", title: "T", message: "M" };
    const body = JSON.stringify({ eventType, payload, variables });
    const headers: Record<string, string> = {
      ...{ "content-type": "application/json", "x-api-key": apiKey },
      "x-idempotency-key": randomUUID(),
    };
    if (secret !== undefined) {
      headers["x-service-signature"] = createHmac("sha256", secret).update(body).digest("hex");
    }
    const url = `${apiUrl}/api/v1/events/trigger`;
    const answer = await fetch(url, { method: "POST", headers, body });
    const eventId = answer.headers.get("x-event-id") ?? "";
    return { status: answer.status, eventId, body: (await answer.json()) as Sent["body"] };
  };
  /** What became of a fresh event on a channel, once it is known. */
  const becomes = async (channel: string, eventType = EVENT_TYPE) => {
    const { eventId } = await trigger({ eventType });
    for (;;) {
      const url = `${apiUrl}/api/v1/events/${eventId}`;
      const answer = await fetch(url, { headers: { "x-api-key": key } });
      const event = (await answer.json()) as {
        channels?: Record<string, { status: string; reason?: string } | undefined>;
      };
      const found = event.channels?.[channel];
      if (found !== undefined && !BUSY.includes(found.status)) {
        return `${found.status} ${found.reason ?? ""}`.trim();
      }
      await sleep(50);
    }
  };
  const newestMessage = async () => {
    const html = await operator.text(`${base}/outbox`);
    return /class="row-link cut"[^>]*>([^<]*)</.exec(html)?.[1];
  };
  /** How long after the change the first attempt was made that met it. */
  const inForce = (what: string, change: () => Promise<unknown>, met: () => Promise<boolean>) =>
    t.test(what, async (step) => {
      await change();
      const changed = performance.now();
      for (;;) {
        const attemptMs = performance.now() - changed;
        if (await met()) {
          step.diagnostic(`in force after ${Math.round(attemptMs)} ms`);
          return;
        }
        await sleep(50);
      }
    });
  const statusIs = (status: number) => async () => (await trigger()).status === status;
  const isSkipped = (why: string) => async () => (await becomes("SMS")) === `skipped ${why}`;
  const posts = (path: string) => () => post(path);
  const isSent = (channel: string) => async () => /^accepted/.test(await becomes(channel));

  await inForce("a key that was created", async () => undefined, statusIs(200));

  let provider = "";
  let sms = "";
  const text = { eventType: EVENT_TYPE, channel: "SMS", sampleVariables: "{}" };
  await inForce(
    "a template that is new, and not the provider: it is not tested",
    async () => {
      const account = { channel: "SMS", kind: "sandbox" };
      provider = (await post(`${base}/providers`, account)).to;
      sms = await publishByForm(operator, base, { ...text, content: "Order {{ order }}" });
    },
    isSkipped("no active provider"),
  );
  await inForce(
    "a provider whose test was accepted",
    () => passTest(provider, "+12025550123"),
    isSent("SMS"),
  );
  await inForce(
    "a new version of a template",
    () => publishAgain(operator, sms, { ...text, content: "Your order {{ order }}" }),
    async () => (await isSent("SMS")()) && (await newestMessage()) === "Your order A-1",
  );
  await inForce(
    "a template that was deactivated",
    posts(`${sms}/deactivate`),
    isSkipped("no active template"),
  );
  await inForce("and activated", posts(`${sms}/activate`), isSent("SMS"));
  await inForce(
    "a provider that was deactivated",
    posts(`${provider}/deactivate`),
    isSkipped("no active provider"),
  );
  await inForce("and activated", posts(`${provider}/activate`), isSent("SMS"));

  const [one, two] = [await startRecordingServer(t), await startRecordingServer(t)];
  for (const vendor of [one, two]) vendor.answer = ACCEPTED;
  const sendgrid = (name: string, vendor: { url: string }) => ({
    ...{ channel: "EMAIL", kind: "sendgrid", name },
    "settings.apiKey": "SG.0123456789abcdef",
    "settings.from": "orders@example.com",
    "settings.baseUrl": vendor.url,
  });
  let first = "";
  let second = "";
  const reaches = (vendor: { requests: unknown[] }) => async () => {
    const before = vendor.requests.length;
    assert.match(await becomes("EMAIL"), /^accepted/);
    return vendor.requests.length > before;
  };
  await inForce(
    "an account of another kind, on another channel",
    async () => {
      const mail = { eventType: EVENT_TYPE, channel: "EMAIL", subject: "Hello", content: "Hello" };
      await publishByForm(operator, base, { ...mail, format: "text" });
      first = (await post(`${base}/providers`, sendgrid("first", one))).to;
      await passTest(first, "ada@example.com");
    },
    isSent("EMAIL"),
  );
  await t.test("live mail takes no account that is not tested", async () => {
    two.answer = { status: 401 };
    second = (await post(`${base}/providers`, sendgrid("second", two))).to;
    for (const verb of ["activate", "make-first"]) await post(`${second}/${verb}`);
    assert.match((await passTest(second, "ada@example.com")).html, /Not accepted/);
    assert.equal(two.requests.length, 1, "the test itself");
    // In force would it be within this time.
    await sleep(IN_FORCE_MS);
    for (let n = 0; n < 3; n += 1) assert.ok(await reaches(one)());
    assert.equal(two.requests.length, 1);
  });
  await t.test("tested, it stands by", async () => {
    two.answer = ACCEPTED;
    assert.match((await passTest(second, "ada@example.com")).html, /It is in use now/);
    await sleep(IN_FORCE_MS);
    assert.ok(await reaches(one)());
    assert.equal(two.requests.length, 2);
  });
  await inForce("the order of accounts", posts(`${second}/make-first`), reaches(two));
  await inForce("one place up", posts(`${first}/move-up`), reaches(one));
  await inForce(
    "the settings of an account",
    () => post(first, sendgrid("first", two)),
    reaches(two),
  );

  const settings = (fields: Record<string, string | string[]>) =>
    post(`${base}/settings`, { ...limits, ...fields });
  await inForce(
    "the channels that are allowed",
    () => settings({ deliveryChannels: ["EMAIL", "PUSH"] }),
    isSkipped("channel not allowed"),
  );
  await inForce("and all of them again", () => settings({}), isSent("SMS"));
  await inForce("the limit a minute", () => settings({ perMinute: "1" }), statusIs(429));
  await inForce("and a higher one", () => settings({}), statusIs(200));
  await inForce("the daily cap", () => settings({ dailyCap: "1" }), statusIs(429));
  await inForce("and none", () => settings({ noCap: "on", dailyCap: "" }), statusIs(200));

  const suppressed = { channel: "SMS", address: "+12025550123" };
  await inForce(
    "an address that was suppressed",
    () => post(`${base}/suppressions`, suppressed),
    async () => /suppress/.test(await becomes("SMS")),
  );
  await inForce("and freed", () => post(`${base}/suppressions/remove`, suppressed), isSent("SMS"));

  await inForce(
    "a realtime channel of a template",
    async () => {
      const push = { eventType: EVENT_TYPE, channel: "PUSH", title: "Order", content: "Hello" };
      await publishByForm(operator, base, { ...push, targetChannel: "orders" });
    },
    async () => {
      const url = `${apiUrl}/api/v1/auth/realtime-token`;
      const headers = { "content-type": "application/json", "x-api-key": key };
      const body = JSON.stringify({ userId: "ada" });
      const answer = await fetch(url, { method: "POST", headers, body });
      return ((await answer.json()) as { channels: string[] }).channels.includes("orders#ada");
    },
  );

  await inForce(
    "a built-in template of the platform",
    async () => {
      const html = await operator.text("/tenants/platform/templates");
      const row = html.slice(html.indexOf("global.info"));
      const path = [...row.matchAll(/class="cell" href="([^"]+)"/g)][1]?.[1] ?? "";
      const content = "From us: {{ message }}";
      await publishAgain(operator, path, { ...text, eventType: "global.info", content });
    },
    async () => {
      assert.match(await becomes("SMS", "global.info"), /^accepted/);
      return (await newestMessage()) === "From us: M";
    },
  );

  let made = "";
  const newSecret = async (fields: Record<string, string> = {}) => {
    made = textOf((await post(`${base}/webhook-secret`, fields)).html, "webhook-secret");
  };
  await inForce("a webhook secret: what is unsigned is refused", newSecret, statusIs(401));
  secret = made;
  await inForce("what is signed with it is taken", async () => undefined, statusIs(200));
  await inForce("another webhook secret: the one before is refused", newSecret, statusIs(401));
  secret = made;
  await inForce("the new one is taken", async () => undefined, statusIs(200));
  const overlapping = secret;
  await inForce(
    "a webhook secret with an overlap: the new one is taken",
    async () => {
      await newSecret({ secretOverlapHours: "1" });
      secret = made;
    },
    statusIs(200),
  );
  secret = overlapping;
  await inForce("and the one before too", async () => undefined, statusIs(200));
  secret = undefined;
  await inForce(
    "no webhook secret any more",
    posts(`${base}/webhook-secret/remove`),
    statusIs(200),
  );

  const old = key;
  await inForce(
    "a rotation without overlap: the old key is refused",
    async () => {
      const { html } = await post(`${base}/keys/rotate`, { overlapHours: "0" });
      key = textOf(html, "api-key");
    },
    async () => (await trigger({ apiKey: old })).status === 401,
  );
  await inForce("and the new one is taken", async () => undefined, statusIs(200));
  await inForce(
    "a key that was revoked",
    async () => {
      const html = await operator.text(`${base}/keys`);
      await post(/action="([^"]+\/revoke)"/.exec(html)?.[1] ?? "");
    },
    statusIs(401),
  );
  key = textOf((await post(`${base}/keys`)).html, "api-key");
  await inForce("a tenant that was deactivated", posts(`${base}/deactivate`), statusIs(401));
  await inForce("and activated", posts(`${base}/activate`), statusIs(200));
});

/** What the page shows to be copied. */
function textOf(html: string, id: string): string {
  return new RegExp(`id="${id}">([^<]*)<`).exec(html)?.[1] ?? "";
}
