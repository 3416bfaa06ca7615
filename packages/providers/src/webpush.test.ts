import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { createServer, type ServerOptions } from "node:https";
import test, { type TestContext } from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import tls from "node:tls";
import type { DeviceMessage, OutcomeClass } from "@belfry/contracts/sending";
import { assertHas } from "@belfry/testing/assert-has";
import { selfSigned } from "@belfry/testing/certificate";
import { createHandClock } from "@belfry/testing/hand-clock";
import { listen } from "@belfry/testing/listen";
import { closedPort, startPort, startVendor } from "../test/loopback-vendor.ts";
import { NOW_MS, SMS, testDeps } from "../test/messages.ts";
import {
  createBrowser,
  type PushServiceOptions,
  pushService,
  startPushService,
} from "../test/push-judge.ts";
import type { ProviderDeps } from "./provider.ts";
import { checkSettings } from "./settings.ts";
import { createVapidKeys, MAX_PUSH_PAYLOAD_BYTES } from "./web-push-encryption.ts";
import { webpush } from "./webpush.ts";

const [CURRENT, PREVIOUS] = [createVapidKeys(), createVapidKeys()];
const SETTINGS = {
  subject: "mailto:ops@example.com",
  ...CURRENT,
  previousPublicKey: PREVIOUS.publicKey,
  previousPrivateKey: PREVIOUS.privateKey,
};
const BROWSER = createBrowser();
const IDS = { deliveryId: SMS.deliveryId, tenantId: SMS.tenantId, eventId: SMS.eventId };
const now = () => NOW_MS;
/** The answers of the push service are in time, however slow this machine is. */
const TIMEOUT_MS = 10_000;

function pushTo(
  endpoint: string,
  changes: Partial<DeviceMessage> = {},
  key?: string,
): DeviceMessage {
  return {
    ...IDS,
    device: {
      kind: "webpush",
      subscription: { endpoint, keys: BROWSER.keys },
      applicationServerKey: key,
    },
    registeredAt: new Date(NOW_MS),
    title: "Größer",
    body: "Your order has left 🎉",
    ttlSeconds: 3600,
    ...changes,
  };
}

function providerIn(t: TestContext, deps: Partial<ProviderDeps> = {}, settings: object = SETTINGS) {
  const provider = webpush.create({ ...settings }, testDeps(deps));
  t.after(() => provider.close());
  return provider;
}

/** Leads each TLS connection of public hosts to a push service on loopback, so that their names can be tested. */
async function startPublicHosts(t: TestContext, options: Partial<PushServiceOptions> = {}) {
  const service = pushService({ now, originOf: (host) => `https://${host}`, ...options });
  const server = createServer(certificate(), (request, response) => {
    void service.handle(request, response);
  });
  const port = await listen(t, server);
  const hosts = leadTlsTo(t, port);
  return { received: service.received, hosts };
}

function leadTlsTo(t: TestContext, port: number) {
  const hosts: string[] = [];
  const connect = tls.connect as (options: tls.ConnectionOptions) => tls.TLSSocket;
  t.mock.method(tls, "connect", (options: tls.ConnectionOptions) => {
    hosts.push(options.servername!);
    const { lookup: _, ...rest } = options;
    return connect({ ...rest, host: "127.0.0.1", port, rejectUnauthorized: false });
  });
  return hosts;
}

function certificate(): ServerOptions {
  const keys = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const cert = selfSigned(keys, { from: "2020-01-01", to: "2040-01-01" });
  return { cert, key: keys.privateKey.export({ type: "pkcs8", format: "pem" }) };
}

const KNOWN = "https://fcm.googleapis.com/fcm/send/abc";
const UNKNOWN = "https://push.stranger.example/abc";
const PUBLIC = { allowPrivateAddresses: false };

test("a push is accepted by a service that checks it by the RFCs, and its browser reads it", async (t) => {
  const service = await startPushService(t, { now });
  const content = {
    url: "/orders/1",
    image: "https://example.com/a.png",
    data: { order: "1" },
    collapseKey: "order-1",
  };
  const outcome = await providerIn(t).send(pushTo(`${service.url}/push/abc`, content));
  assert.deepEqual(outcome, {
    class: "accepted",
    reason: "The push service accepted the message",
    messageId: `${service.url}/m/1`,
    vendorStatus: "201",
    vendorAnswer: null,
    retryAfterSeconds: null,
  });
  const [push] = service.received;
  assert.deepEqual(JSON.parse(BROWSER.read(push!.body)), {
    id: IDS.eventId,
    title: "Größer",
    body: "Your order has left 🎉",
    url: "/orders/1",
    image: "https://example.com/a.png",
    data: { order: "1" },
    tag: "order-1",
  });
  assert.equal(push!.path, "/push/abc");
  assert.equal(push!.key, CURRENT.publicKey);
  const exp = NOW_MS / 1000 + 12 * 3600;
  assert.deepEqual(push!.claims, { aud: service.url, sub: SETTINGS.subject, exp });
  const { ttl, urgency, topic, "content-encoding": encoding } = push!.headers;
  assert.deepEqual([ttl, urgency, topic, encoding], ["3600", "normal", "order-1", "aes128gcm"]);
});

test("a push without optional parts has none of them", async (t) => {
  const service = await startPushService(t, { now });
  await providerIn(t).send(pushTo(service.url));
  const [push] = service.received;
  assert.deepEqual(Object.keys(JSON.parse(BROWSER.read(push!.body))), ["id", "title", "body"]);
  assert.equal(push!.headers.topic, undefined);
});

test("a key that cannot be a topic becomes one: the same for the same key alone", async (t) => {
  const service = await startPushService(t, { now });
  const provider = providerIn(t);
  const topicFor = async (collapseKey: string) => {
    const outcome = await provider.send(pushTo(service.url, { collapseKey }));
    assert.equal(outcome.class, "accepted", outcome.vendorAnswer ?? "");
    return service.received.at(-1)!.headers.topic;
  };
  const long = "a".repeat(32);
  assert.equal(await topicFor(long), long);
  const others = [`${long}a`, `${long}b`, "order 1", "größe", "a.b"];
  const topics = [];
  for (const key of others) topics.push(await topicFor(key));
  assert.equal(new Set(topics).size, others.length);
  assert.equal(await topicFor("order 1"), topics[2]);
});

test("a browser gets pushes of the pair with which it subscribed; one of a pair that is gone is gone", async (t) => {
  const service = await startPushService(t, { now });
  const provider = providerIn(t);
  const keys = [undefined, CURRENT.publicKey, `${CURRENT.publicKey}=`, PREVIOUS.publicKey];
  for (const key of keys) {
    assert.equal((await provider.send(pushTo(service.url, {}, key))).class, "accepted");
  }
  assert.deepEqual(
    service.received.map(({ key }) => key),
    [CURRENT.publicKey, CURRENT.publicKey, CURRENT.publicKey, PREVIOUS.publicKey],
  );
  const other = createVapidKeys().publicKey;
  assertHas(await provider.send(pushTo(service.url, {}, other)), {
    class: "permanent",
    gone: true,
  });
  const alone = providerIn(t, {}, { subject: SETTINGS.subject, ...CURRENT });
  const outcome = await alone.send(pushTo(service.url, {}, PREVIOUS.publicKey));
  assertHas(outcome, { class: "permanent", gone: true });
  assert.equal(service.received.length, keys.length, "no call for the others");
});

test("pushes to one origin have one token", async (t) => {
  const [service, other] = [await startPushService(t, { now }), await startPushService(t, { now })];
  const provider = providerIn(t);
  await Promise.all([provider.send(pushTo(service.url)), provider.send(pushTo(service.url))]);
  await provider.send(pushTo(`${service.url}/another`));
  await provider.send(pushTo(other.url));
  assert.equal(service.received.length, 3);
  const tokens = [...service.received, ...other.received].map(({ token }) => token);
  assert.equal(new Set(tokens).size, 2);
});

const answers: readonly (readonly [number, known: OutcomeClass, unknown: OutcomeClass])[] = [
  [200, "accepted", "accepted"],
  [201, "accepted", "accepted"],
  [202, "accepted", "accepted"],
  [204, "accepted", "accepted"],
  [206, "ambiguous", "deferred"],
  [301, "permanent", "permanent"],
  [307, "permanent", "permanent"],
  [400, "permanent", "permanent"],
  [401, "credentials", "permanent"],
  [402, "credentials", "permanent"],
  [403, "credentials", "permanent"],
  [404, "permanent", "permanent"],
  [406, "throttled", "deferred"],
  [410, "permanent", "permanent"],
  [413, "permanent", "permanent"],
  [429, "throttled", "deferred"],
  [500, "transient", "deferred"],
  [502, "transient", "deferred"],
  [503, "transient", "deferred"],
];

test("each answer is judged by who gives it: only browsers' push services count against the account", async (t) => {
  const target = await startVendor(t, (response) => response.end());
  let status = 0;
  const { received } = await startPublicHosts(t, {
    answer: (response) =>
      response
        .writeHead(status, { "retry-after": "17", ...(status >= 300 && { location: target.url }) })
        .end(status === 204 ? undefined : "why"),
  });
  const provider = providerIn(t, PUBLIC);
  for (const [given, known, unknown] of answers) {
    status = given;
    for (const [endpoint, expected] of [
      [KNOWN, known],
      [UNKNOWN, unknown],
    ] as const) {
      const outcome = await provider.send(pushTo(endpoint));
      const what = `${given} of ${endpoint}`;
      assert.equal(outcome.class, expected, `${what}: ${outcome.vendorAnswer}`);
      assert.equal(outcome.gone, given === 404 || given === 410 ? true : undefined, what);
      assert.equal(outcome.ofOneMessage, expected === "credentials" ? true : undefined, what);
      assert.equal(outcome.vendorStatus, String(given));
      const isAccepted = expected === "accepted";
      assert.equal(outcome.retryAfterSeconds, isAccepted ? null : 17);
      assert.equal(outcome.vendorAnswer, isAccepted ? null : "why");
    }
  }
  assert.equal(received.length, 2 * answers.length, "no second call");
  assert.equal(target.connections(), 0, "no redirect is followed");
});

test("the push services of the browsers are known by their whole names", async (t) => {
  await startPublicHosts(t, { answer: (response) => response.writeHead(403).end() });
  const provider = providerIn(t, PUBLIC);
  const classAt = async (host: string) => (await provider.send(pushTo(`https://${host}/a`))).class;
  for (const host of [
    "fcm.googleapis.com",
    "updates.push.services.mozilla.com",
    "eu.push.services.mozilla.com",
    "web.push.apple.com",
    "wns2-par02p.notify.windows.com",
  ]) {
    assert.equal(await classAt(host), "credentials", host);
  }
  for (const host of [
    "a.fcm.googleapis.com",
    "fcm.googleapis.com.stranger.example",
    "evilpush.apple.com.example",
    "strangernotify.windows.com",
    "xpush.apple.com",
  ]) {
    assert.equal(await classAt(host), "permanent", host);
  }
});

test("a call without an answer is deferred at an unknown host, and an outage at a known one", async (t) => {
  const cases = [
    ["cut", startPort(t, (socket) => socket.once("data", () => socket.resetAndDestroy()))],
    ["refused", closedPort()],
  ] as const;
  for (const [what, port] of cases) {
    const hosts = leadTlsTo(t, await port);
    const provider = providerIn(t, PUBLIC);
    assert.equal((await provider.send(pushTo(KNOWN))).class, "transient", what);
    assert.equal((await provider.send(pushTo(UNKNOWN))).class, "deferred", what);
    assert.equal(hosts.length, 2);
    t.mock.restoreAll();
  }
  const resolve = async () => {
    throw Object.assign(new Error("no name"), { code: "ENOTFOUND" });
  };
  const provider = providerIn(t, { ...PUBLIC, resolve });
  assert.equal((await provider.send(pushTo(KNOWN))).class, "transient");
  assertHas(await provider.send(pushTo(UNKNOWN)), { class: "deferred", notBegun: undefined });
});

test("an answer that does not come in time is ambiguous at a known host and deferred at another", async (t) => {
  for (const [endpoint, expected] of [
    [KNOWN, "ambiguous"],
    [UNKNOWN, "deferred"],
  ] as const) {
    const clock = createHandClock();
    const arrived = Promise.withResolvers<void>();
    const { received } = await startPublicHosts(t, { answer: () => arrived.resolve() });
    const provider = providerIn(t, { ...PUBLIC, clock, timeoutMs: TIMEOUT_MS });
    let isOver = false;
    const sent = provider.send(pushTo(endpoint)).finally(() => {
      isOver = true;
    });
    await arrived.promise;
    clock.advance(TIMEOUT_MS - 1);
    await nextTurn();
    assert.equal(isOver, false);
    clock.advance(1);
    assert.equal((await sent).class, expected);
    assert.equal(received.length, 1);
    t.mock.restoreAll();
  }
});

test("of a long answer one KB is kept, of an endless one no more is read, and no token is kept", async (t) => {
  const service = await startPushService(t, {
    now,
    answer(response, { token }) {
      response.writeHead(400).write(`${token} `);
      const more = () => {
        while (response.write("€".repeat(5000))) {}
      };
      response.on("drain", more);
      more();
    },
  });
  const { class: given, vendorAnswer } = await providerIn(t).send(pushTo(service.url));
  assert.equal(given, "permanent");
  const bytes = Buffer.byteLength(vendorAnswer!);
  assert.ok(bytes > 1000 && bytes <= 1024, `${bytes} bytes`);
  assert.match(vendorAnswer!, /^•••• €+$/);
});

test("a host that does not answer gets eight calls at a time and delays no other", async (t) => {
  const held: (() => void)[] = [];
  let isSlow = true;
  const eight = Promise.withResolvers<void>();
  const { received } = await startPublicHosts(t, {
    answer(response, { headers }) {
      if (!isSlow || headers.host !== "push.stranger.example")
        return void response.writeHead(201).end();
      held.push(() => response.writeHead(201).end());
      if (held.length === 8) eight.resolve();
    },
  });
  const provider = providerIn(t, { ...PUBLIC, turnWaitMs: 1 });
  const slow = Array.from({ length: 8 }, () => provider.send(pushTo(UNKNOWN)));
  await eight.promise;
  const late = await provider.send(pushTo(`${UNKNOWN}/another`));
  assert.deepEqual([late.class, late.notBegun], ["transient", true], "no attempt, no failure");
  assert.equal((await provider.send(pushTo(KNOWN))).class, "accepted");
  assert.equal(received.length, 9);
  for (const answer of held) answer();
  assert.ok((await Promise.all(slow)).every((outcome) => outcome.class === "accepted"));
  isSlow = false;
  const next = await provider.send(pushTo(UNKNOWN));
  assert.equal(next.class, "accepted", "its places are free again");
});

test("nothing private is called, however the endpoint is written, and the account is not at fault", async (t) => {
  const port = await startPort(t, () => assert.fail("connected"));
  const looked: string[] = [];
  const resolve = async (name: string) => {
    looked.push(name);
    return [
      { address: "127.0.0.1", family: 4 },
      { address: "::ffff:127.0.0.1", family: 6 },
    ];
  };
  const provider = providerIn(t, { ...PUBLIC, resolve });
  for (const endpoint of [
    `https://127.0.0.1:${port}/`,
    `https://localhost:${port}/`,
    `https://2130706433:${port}/`,
    `https://[::ffff:7f00:1]:${port}/`,
    `https://169.254.169.254/`,
    `https://stranger.example:${port}/`,
    `https://web.push.apple.com:${port}/`,
    `http://stranger.example:${port}/`,
    `https://u:p@stranger.example:${port}/`,
  ]) {
    const outcome = await provider.send(pushTo(endpoint));
    assertHas(outcome, { class: "permanent", gone: undefined, vendorStatus: null });
  }
  assert.deepEqual(looked, ["stranger.example", "web.push.apple.com"], "the others not even asked");
});

test("a payload of the largest size is sent, and one byte more is not", async (t) => {
  const service = await startPushService(t, { now });
  const provider = providerIn(t);
  await provider.send(pushTo(service.url, { body: "" }));
  const frame = BROWSER.read(service.received[0]!.body);
  const body = "x".repeat(MAX_PUSH_PAYLOAD_BYTES - Buffer.byteLength(frame));
  assert.equal((await provider.send(pushTo(service.url, { body }))).class, "accepted");
  const outcome = await provider.send(pushTo(service.url, { body: `${body}x` }));
  assertHas(outcome, { class: "permanent", reason: "#content-too-large" });
  assert.equal(service.received.length, 2);
});

test("a subscription whose key no browser can have is gone", async (t) => {
  const p256dh = Buffer.concat([Buffer.of(4), Buffer.alloc(64, 7)]).toString("base64url");
  const keys = { ...BROWSER.keys, p256dh };
  const device = { kind: "webpush", subscription: { endpoint: KNOWN, keys } } as const;
  const outcome = await providerIn(t).send(pushTo(KNOWN, { device }));
  assertHas(outcome, { class: "permanent", gone: true });
});

test("settings need whole pairs whose keys belong together, and a contact", async (t) => {
  const { subject } = SETTINGS;
  const { publicKey, privateKey } = CURRENT;
  const faultsOf = (settings: object) =>
    checkSettings(webpush, settings).map((fault) => fault.split(": ")[0]);
  for (const contact of [subject, "https://example.com/contact"]) {
    assert.deepEqual(faultsOf({ ...SETTINGS, subject: contact }), []);
  }
  assert.deepEqual(faultsOf({ subject }), []);
  for (const contact of ["ops@example.com", "mailto:", "mailto:<a@b.c>", "http://a.example", "x"]) {
    assert.deepEqual(faultsOf({ ...SETTINGS, subject: contact }), ["subject"], contact);
  }
  assert.deepEqual(faultsOf({ subject, publicKey }), ["privateKey"]);
  assert.deepEqual(faultsOf({ subject, privateKey }), ["publicKey"]);
  assert.deepEqual(
    faultsOf({ ...SETTINGS, privateKey: PREVIOUS.privateKey, previousPrivateKey: privateKey }),
    ["privateKey", "previousPrivateKey"],
  );
  assert.deepEqual(faultsOf({ subject, publicKey: "x", privateKey: "y" }), [
    "publicKey",
    "privateKey",
  ]);
  const outcome = await providerIn(t, {}, { subject }).send(pushTo(KNOWN));
  assert.equal(outcome.class, "credentials", "no pair, no push");
});
