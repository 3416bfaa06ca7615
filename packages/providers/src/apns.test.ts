import assert from "node:assert/strict";
import { createHash, generateKeyPairSync } from "node:crypto";
import { once } from "node:events";
import {
  createServer,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from "node:http2";
import test, { type TestContext } from "node:test";
import type { DeviceMessage, SendOutcome } from "@belfry/contracts/sending";
import { assertHas } from "@belfry/testing/assert-has";
import { createHandClock } from "@belfry/testing/hand-clock";
import { listen } from "@belfry/testing/listen";
import { decodeJwt, jwtVerify } from "jose";
import { deviceMessage } from "../test/device-message.ts";
import { closedPort, startPort } from "../test/loopback-vendor.ts";
import { NOW_MS, testDeps } from "../test/messages.ts";
import { apns } from "./apns.ts";
import { createHttp2Calls } from "./http2-calls.ts";
import type { ProviderDeps } from "./provider.ts";
import { checkSettings } from "./settings.ts";

// The judge follows developer.apple.com/documentation/usernotifications: "Sending notification requests to APNs",
// "Handling notification responses from APNs" and "Establishing a token-based connection to APNs".
const pkcs8 = { type: "pkcs8", format: "pem" } as const;
const KEYS = generateKeyPairSync("ec", { namedCurve: "P-256" });
const PRIVATE_KEY = KEYS.privateKey.export(pkcs8).toString();
const TEAM = "TEAM123456";
const KEY_ID = "KEY1234567";
const TOPIC = "com.example.shop";
const SETTINGS = { teamId: TEAM, keyId: KEY_ID, privateKey: PRIVATE_KEY, topic: TOPIC };
const TOKEN = "0a".repeat(32);
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
const TIMEOUT_MS = 10_000;

const toDevice = (changes: Partial<DeviceMessage> = {}, token = TOKEN) =>
  deviceMessage({ kind: "apns", token, environment: "production" }, changes);
const MESSAGE = toDevice();

interface Call {
  headers: IncomingHttpHeaders;
  body: string;
  session: ServerHttp2Session;
  stream: ServerHttp2Stream;
  answer(status: number, reason?: string, timestamp?: number): void;
}

/** Answers as APNs does: 200, or what is wrong with the request. */
async function judge({ headers, body, answer }: Call) {
  const token = /^bearer (\S+)$/.exec(headers.authorization ?? "")?.[1];
  if (token === undefined) return answer(403, "MissingProviderToken");
  try {
    const { payload, protectedHeader } = await jwtVerify(token, KEYS.publicKey, {
      algorithms: ["ES256"],
      issuer: TEAM,
    });
    assert.equal(protectedHeader.kid, KEY_ID);
    assert.ok(Number.isInteger(payload.iat));
  } catch {
    return answer(403, "InvalidProviderToken");
  }
  if (headers[":method"] !== "POST") return answer(405, "MethodNotAllowed");
  if (headers[":path"] !== `/3/device/${TOKEN}`) return answer(400, "BadDeviceToken");
  if (headers["apns-topic"] !== TOPIC) return answer(400, "TopicDisallowed");
  if (headers["apns-push-type"] !== "alert") return answer(400, "InvalidPushType");
  if (headers["apns-priority"] !== "10") return answer(400, "BadPriority");
  if (!/^\d+$/.test(String(headers["apns-expiration"]))) return answer(400, "BadExpirationDate");
  if (!UUID.test(String(headers["apns-id"]))) return answer(400, "BadMessageId");
  if (Buffer.byteLength(String(headers["apns-collapse-id"])) > 64)
    return answer(400, "BadCollapseId");
  if (Buffer.byteLength(body) > 4096) return answer(413, "PayloadTooLarge");
  if (JSON.parse(body).aps === undefined) return answer(400, "PayloadEmpty");
  return answer(200);
}

/** A server of HTTP/2 that does with the nth call as told, and a provider that calls it. */
async function start(
  t: TestContext,
  {
    take = judge,
    deps = {},
    most = 1000,
  }: {
    take?: (call: Call, nth: number) => unknown;
    deps?: Partial<ProviderDeps>;
    most?: number;
  } = {},
) {
  const server = createServer({ settings: { maxConcurrentStreams: most } });
  const sessions: ServerHttp2Session[] = [];
  const calls: Call[] = [];
  server.on("session", (session) => {
    session.on("error", () => {});
    sessions.push(session);
  });
  server.on("sessionError", () => {});
  server.on("stream", async (stream, headers) => {
    stream.on("error", () => {});
    let body = "";
    for await (const chunk of stream.setEncoding("utf8")) body += chunk;
    const answer: Call["answer"] = (status, reason, timestamp) => {
      stream.respond({ ":status": status, "apns-id": headers["apns-id"] });
      stream.end(reason && JSON.stringify({ reason, timestamp }));
    };
    const call = { headers, body, session: stream.session as ServerHttp2Session, stream, answer };
    calls.push(call);
    await take(call, calls.length);
  });
  const port = await listen(t, server as never);
  const baseUrl = `http://127.0.0.1:${port}`;
  const provider = apns.create({ ...SETTINGS, baseUrl }, testDeps(deps));
  t.after(() => provider.close());
  return { provider, calls, sessions, tokens: () => calls.map(tokenOf) };
}

const tokenOf = ({ headers }: Call) => headers.authorization!.slice("bearer ".length);
const allAccepted = (outcomes: SendOutcome[]) =>
  assert.deepEqual(new Set(outcomes.map((outcome) => outcome.class)), new Set(["accepted"]));

test("APNs: a message arrives as the vendor describes it", async (t) => {
  const { provider, calls } = await start(t);
  const { title, body, eventId } = MESSAGE;
  const outcome = await provider.send(MESSAGE);
  const { headers } = calls[0]!;
  assertHas(outcome, { class: "accepted", messageId: headers["apns-id"], vendorStatus: "200" });
  assert.equal(headers["apns-expiration"], String(NOW_MS / 1000 + 3600));
  assert.equal(headers["apns-collapse-id"], undefined);
  assert.deepEqual(JSON.parse(calls[0]!.body), { aps: { alert: { title, body } }, eventId });
  const more = {
    image: "https://a.example/i.png",
    url: "/parcels/1",
    data: { parcel: "1" },
    collapseKey: "parcel-1",
    ttlSeconds: 0,
  };
  allAccepted([await provider.send({ ...MESSAGE, ...more })]);
  assert.equal(calls[1]!.headers["apns-expiration"], "0");
  assert.equal(calls[1]!.headers["apns-collapse-id"], "parcel-1");
  assert.deepEqual(JSON.parse(calls[1]!.body), {
    aps: { alert: { title, body }, "mutable-content": 1 },
    url: more.url,
    image: more.image,
    data: more.data,
    eventId,
  });
});

test("APNs: a collapse key that is too long or cannot stand in a header is hashed", async (t) => {
  const { provider, calls } = await start(t);
  const hash = (key: string) => createHash("sha256").update(key).digest("base64url");
  for (const collapseKey of ["k".repeat(64), "k".repeat(65), "a b\r\nx: y", "ü"]) {
    allAccepted([await provider.send({ ...MESSAGE, collapseKey })]);
    const isKept = collapseKey === "k".repeat(64);
    const expected = isKept ? collapseKey : hash(collapseKey);
    assert.equal(calls.at(-1)!.headers["apns-collapse-id"], expected);
  }
});

const LATER = MESSAGE.registeredAt.getTime() + 1;
const PERMANENT = { class: "permanent", gone: undefined } as const;
const GONE = { class: "permanent", gone: true } as const;
const CREDENTIALS = { class: "credentials", gone: undefined } as const;
const ERRORS: readonly (readonly [
  number,
  string,
  Partial<Record<keyof SendOutcome, unknown>>,
  number?,
])[] = [
  [400, "BadCollapseId", PERMANENT],
  [400, "BadDeviceToken", GONE],
  [400, "BadExpirationDate", PERMANENT],
  [400, "BadMessageId", PERMANENT],
  [400, "BadPriority", PERMANENT],
  [400, "BadTopic", CREDENTIALS],
  [400, "DeviceTokenNotForTopic", GONE],
  [400, "DuplicateHeaders", PERMANENT],
  [400, "IdleTimeout", { class: "transient" }],
  [400, "InvalidPushType", PERMANENT],
  [400, "MissingDeviceToken", PERMANENT],
  [400, "MissingTopic", CREDENTIALS],
  [400, "PayloadEmpty", PERMANENT],
  [400, "TopicDisallowed", CREDENTIALS],
  [403, "BadCertificate", CREDENTIALS],
  [403, "BadCertificateEnvironment", CREDENTIALS],
  [403, "BadEnvironmentKeyIdInToken", CREDENTIALS],
  [403, "Forbidden", CREDENTIALS],
  [403, "InvalidProviderToken", CREDENTIALS],
  [403, "MissingProviderToken", CREDENTIALS],
  [403, "UnrelatedKeyIdInToken", CREDENTIALS],
  [404, "BadPath", PERMANENT],
  [405, "MethodNotAllowed", PERMANENT],
  [410, "ExpiredToken", GONE, LATER],
  [410, "Unregistered", GONE, LATER],
  [410, "Unregistered", PERMANENT, LATER - 1],
  [410, "Unregistered", PERMANENT],
  [413, "PayloadTooLarge", PERMANENT],
  [429, "TooManyProviderTokenUpdates", { class: "throttled" }],
  [429, "TooManyRequests", { class: "deferred" }],
  [500, "InternalServerError", { class: "transient" }],
  [500, "InternalServerError", { class: "transient", gone: undefined }, LATER],
  [503, "ServiceUnavailable", { class: "transient" }],
  [503, "Shutdown", { class: "transient" }],
];
for (const [status, reason, expected, timestamp] of ERRORS) {
  const since = timestamp === undefined ? "" : ` since ${timestamp - LATER + 1} ms`;
  test(`APNs: ${status} ${reason}${since} is ${expected.class}, its words kept`, async (t) => {
    const { provider, calls } = await start(t, {
      take: ({ answer }) => answer(status, reason, timestamp),
    });
    const vendorAnswer = JSON.stringify({ reason, timestamp });
    assertHas(await provider.send(MESSAGE), { ...expected, vendorStatus: reason, vendorAnswer });
    assert.equal(calls.length, 1, "no second call");
  });
}

test("APNs: an empty answer is judged by its status", async (t) => {
  for (const [status, expected] of [
    [204, "ambiguous"],
    [302, "credentials"],
    [403, "credentials"],
    [429, "throttled"],
    [502, "transient"],
  ] as const) {
    const { provider } = await start(t, { take: ({ answer }) => answer(status) });
    assertHas(await provider.send(MESSAGE), { class: expected, vendorStatus: String(status) });
  }
});

test("APNs: what APNs never takes is not sent", async (t) => {
  const { provider, calls } = await start(t);
  for (const token of ["", "xyz", `${TOKEN}/../x`, "a".repeat(63), "a".repeat(201)]) {
    assertHas(await provider.send(toDevice({}, token)), { class: "permanent", gone: true });
  }
  const large = await provider.send(toDevice({ body: "€".repeat(1400) }));
  assertHas(large, { class: "permanent", reason: "#content-too-large", gone: undefined });
  const other = await provider.send(deviceMessage({ kind: "fcm", token: TOKEN }));
  assertHas(other, { class: "permanent", gone: undefined });
  assert.equal(calls.length, 0);
});

test("APNs: concurrent messages share one connection and one token", async (t) => {
  const { provider, sessions, tokens } = await start(t);
  allAccepted(await Promise.all(Array.from({ length: 50 }, () => provider.send(MESSAGE))));
  assert.deepEqual([sessions.length, new Set(tokens()).size], [1, 1]);
  allAccepted([await provider.send(MESSAGE)]);
  assert.equal(sessions.length, 1, "it is kept");
});

test("APNs: a token is renewed every 50 minutes", async (t) => {
  let nowMs = NOW_MS;
  const { provider, tokens } = await start(t, { deps: { now: () => nowMs } });
  for (const ms of [0, 50 * 60_000 - 1, 1]) {
    nowMs += ms;
    allAccepted([await provider.send(MESSAGE)]);
  }
  const issued = tokens().map((token) => decodeJwt(token).iat);
  const first = NOW_MS / 1000;
  assert.deepEqual(issued, [first, first, first + 50 * 60]);
});

test("APNs: an expired token is renewed once; then the account is at fault", async (t) => {
  const { provider, tokens } = await start(t, {
    take: (call, nth) => (nth === 2 ? judge(call) : call.answer(403, "ExpiredProviderToken")),
  });
  allAccepted([await provider.send(MESSAGE)]);
  const [first, second] = tokens();
  assert.notEqual(first, second);
  const failed = await provider.send(MESSAGE);
  assertHas(failed, { class: "credentials", vendorStatus: "ExpiredProviderToken" });
  assert.equal(tokens().length, 4);
});

test("APNs: no more streams at a time than the other side takes", async (t) => {
  let inHand = 0;
  let atOnce = 0;
  const { provider, sessions } = await start(t, {
    most: 2,
    deps: { turnWaitMs: 3_600_000 },
    async take(call) {
      inHand += 1;
      atOnce = Math.max(atOnce, inHand);
      await new Promise(setImmediate);
      inHand -= 1;
      await judge(call);
    },
  });
  allAccepted(await Promise.all(Array.from({ length: 20 }, () => provider.send(MESSAGE))));
  assert.deepEqual([atOnce, provider.maxCalls, sessions.length], [2, 2, 1]);
});

test("APNs: a message that finds no free stream is not sent, and is no attempt", async (t) => {
  const held: Call[] = [];
  const { provider } = await start(t, {
    most: 1,
    deps: { turnWaitMs: 1 },
    take: (call) => held.push(call),
  });
  const sent = [provider.send(MESSAGE), provider.send(MESSAGE)];
  const late = await Promise.race(sent);
  assertHas(late, { class: "transient", notBegun: true });
  while (held.length === 0) await new Promise(setImmediate);
  held[0]!.answer(200);
  const outcomes = await Promise.all(sent);
  assert.deepEqual(outcomes.map((one) => one.class).sort(), ["accepted", "transient"]);
  assert.equal(held.length, 1);
});

test("APNs: a literal address is guarded where it is called, too", async (t) => {
  const port = await startPort(t, () => assert.fail("connected"));
  const limits = { secrets: [], maxCalls: 1, limitCalls() {}, now: Date.now };
  const deps = testDeps({ allowPrivateAddresses: false });
  const calls = createHttp2Calls({ ...deps, ...limits });
  t.after(() => calls.close());
  const result = await calls.post(new URL(`https://127.0.0.1:${port}/`), {}, "");
  assert.ok(!result.answered && result.outcome.class === "credentials");
});

test("APNs: a raised limit is used", async (t) => {
  const held: Call[] = [];
  const { provider, sessions } = await start(t, {
    most: 1,
    deps: { turnWaitMs: 3_600_000 },
    take(call, nth) {
      if (nth > 1) held.push(call);
      else call.answer(200);
      if (held.length === 3) for (const one of held) one.answer(200);
    },
  });
  allAccepted([await provider.send(MESSAGE)]);
  assert.equal(provider.maxCalls, 1);
  sessions[0]!.settings({ maxConcurrentStreams: 3 });
  allAccepted(await Promise.all(Array.from({ length: 3 }, () => provider.send(MESSAGE))));
  assert.equal(provider.maxCalls, 3);
});

test("APNs: after a GOAWAY the streams under way end, and new ones have a new connection", async (t) => {
  const first = Promise.withResolvers<Call>();
  const { provider, calls, sessions } = await start(t, {
    take: (call, nth) => (nth === 1 ? first.resolve(call) : judge(call)),
  });
  const underWay = provider.send(MESSAGE);
  const call = await first.promise;
  call.session.goaway(0, 1);
  // The answer to a ping shows that the client has read the GOAWAY.
  await new Promise((read) => call.session.ping(read));
  allAccepted([await provider.send(MESSAGE)]);
  assert.deepEqual([sessions.length, calls[1]!.session === call.session], [2, false]);
  call.answer(200);
  allAccepted([await underWay]);
});

test("APNs: a stream above a GOAWAY's last was not processed, and is no attempt; one below it may be", async (t) => {
  for (const [code, below] of [
    [0, "accepted"],
    [2, "ambiguous"],
    [7, "ambiguous"],
  ] as const) {
    const held: Call[] = [];
    const { provider } = await start(t, {
      take(call) {
        held.push(call);
        if (held.length < 2) return;
        held.sort((a, b) => a.stream.id! - b.stream.id!);
        call.session.goaway(code, held[0]!.stream.id!);
        if (code === 0) held[0]!.answer(200);
      },
    });
    const sent = await Promise.all([provider.send(MESSAGE), provider.send(MESSAGE)]);
    const classes = sent.map((one) => (one.notBegun ? "not begun" : one.class));
    assert.deepEqual(classes.sort(), [below, "not begun"].sort());
  }
});

test("APNs: a refused stream was not processed, a reset one may be", async (t) => {
  for (const [code, expected] of [
    [7, "transient"],
    [2, "ambiguous"],
  ] as const) {
    const { provider } = await start(t, { take: ({ stream }) => stream.close(code) });
    assert.equal((await provider.send(MESSAGE)).class, expected);
  }
  const cut = await start(t, { take: ({ session }) => session.destroy() });
  assert.equal((await cut.provider.send(MESSAGE)).class, "ambiguous");
});

test("APNs: a stalled stream is ambiguous after the timeout, and its connection is replaced", async (t) => {
  const clock = createHandClock();
  const stalled = Promise.withResolvers<Call>();
  const { provider, sessions } = await start(t, {
    deps: { clock, timeoutMs: TIMEOUT_MS },
    take: (call, nth) => (nth === 1 ? stalled.resolve(call) : judge(call)),
  });
  let isOver = false;
  const sent = provider.send(MESSAGE).finally(() => {
    isOver = true;
  });
  const { session } = await stalled.promise;
  clock.advance(TIMEOUT_MS - 1);
  await new Promise(setImmediate);
  assert.equal(isOver, false);
  clock.advance(1);
  assert.equal((await sent).class, "ambiguous");
  allAccepted([await provider.send(MESSAGE)]);
  assert.equal(sessions.length, 2);
  if (!session.destroyed) await once(session, "close");
});

test("APNs: an answer that came while our own loop stood still is read before it is judged", async (t) => {
  const clock = createHandClock();
  const { provider } = await start(t, {
    deps: { clock, timeoutMs: TIMEOUT_MS },
    take({ answer }) {
      answer(200);
      setImmediate(() => clock.advance(TIMEOUT_MS));
    },
  });
  allAccepted([await provider.send(MESSAGE)]);
});

test("APNs: a handshake or settings that never come are transient after the timeout", async (t) => {
  for (const scheme of ["http", "https"]) {
    const clock = createHandClock();
    const port = await startPort(t, (socket) =>
      socket.once("data", () => clock.advance(TIMEOUT_MS)),
    );
    const settings = { ...SETTINGS, baseUrl: `${scheme}://127.0.0.1:${port}` };
    const provider = apns.create(settings, testDeps({ clock, timeoutMs: TIMEOUT_MS }));
    t.after(() => provider.close());
    const outcome = await provider.send(MESSAGE);
    assert.equal(outcome.class, "transient");
    assert.match(outcome.reason, /timeout/);
  }
});

test("APNs: a refused connection, a server of HTTP/1 and a name without address are transient", async (t) => {
  const old = await startPort(t, (socket) =>
    socket.once("data", () => socket.end("HTTP/1.1 400 Bad Request\r\n\r\n")),
  );
  const closing = await startPort(t, (socket) => socket.once("data", () => socket.end()));
  for (const port of [await closedPort(), old, closing]) {
    const settings = { ...SETTINGS, baseUrl: `http://127.0.0.1:${port}` };
    const provider = apns.create(settings, testDeps());
    t.after(() => provider.close());
    assertHas(await provider.send(MESSAGE), { class: "transient", notBegun: undefined });
  }
  const resolve = async () => {
    throw Object.assign(new Error("getaddrinfo ENOTFOUND"), { code: "ENOTFOUND" });
  };
  const deps = testDeps({ allowPrivateAddresses: false, resolve });
  const nowhere = apns.create(SETTINGS, deps);
  t.after(() => nowhere.close());
  const outcome = await nowhere.send(MESSAGE);
  assert.equal(outcome.class, "transient");
  assert.match(outcome.reason, /ENOTFOUND/);
});

test("APNs: a private address gets no connection, and each environment has its own host", async (t) => {
  const asked: string[] = [];
  const resolve = async (host: string) => {
    asked.push(host);
    return [{ address: "127.0.0.1", family: 4 }];
  };
  const provider = apns.create(SETTINGS, testDeps({ allowPrivateAddresses: false, resolve }));
  t.after(() => provider.close());
  for (const environment of ["production", "sandbox"] as const) {
    const device = { kind: "apns", token: TOKEN, environment } as const;
    const outcome = await provider.send(deviceMessage(device));
    assert.equal(outcome.class, "credentials");
    assert.match(outcome.reason, /no public address/);
  }
  assert.deepEqual(asked, ["api.push.apple.com", "api.sandbox.push.apple.com"]);
});

test("APNs: of an endless answer a bounded part is read", async (t) => {
  const { provider, sessions } = await start(t, {
    take(call, nth) {
      const { stream } = call;
      if (nth > 1) return call.answer(200);
      stream.respond({ ":status": 400 });
      const more = () => {
        while (!stream.destroyed && stream.write("€".repeat(5000))) {}
      };
      stream.on("drain", more);
      more();
    },
  });
  const outcome = await provider.send(MESSAGE);
  assert.equal(outcome.class, "permanent");
  assert.match(outcome.vendorAnswer!, /^€{341}$/);
  allAccepted([await provider.send(MESSAGE)]);
  assert.equal(sessions.length, 1, "only the stream ended");
});

test("APNs: a connection that floods us with frames is ended", async (t) => {
  const clock = createHandClock();
  const settings = Buffer.from("000000040000000000", "hex");
  // Each frame raises the client's window by one byte.
  const updates = Buffer.alloc(65_000, Buffer.from("00000408000000000000000001", "hex"));
  const port = await startPort(t, (socket) => {
    socket.write(settings);
    const more = () => {
      while (!socket.destroyed && socket.write(updates)) {}
      clock.advance(10);
    };
    socket.on("drain", more);
    socket.once("data", more);
    socket.resume();
  });
  const deps = testDeps({ clock, timeoutMs: 3_600_000 });
  const provider = apns.create({ ...SETTINGS, baseUrl: `http://127.0.0.1:${port}` }, deps);
  t.after(() => provider.close());
  assert.equal((await provider.send(MESSAGE)).class, "ambiguous");
  assert.ok(clock.nowMs() < 3_600_000, "not by the timeout");
});

test("APNs: closing lets the message in hand finish, then ends the connection", async (t) => {
  const first = Promise.withResolvers<Call>();
  const { provider } = await start(t, { take: (call) => first.resolve(call) });
  const sent = provider.send(MESSAGE);
  const call = await first.promise;
  const closed = provider.close();
  call.answer(200);
  allAccepted([await sent]);
  await closed;
  if (!call.session.destroyed) await once(call.session, "close");
  assertHas(await provider.send(MESSAGE), { class: "transient", notBegun: true });
});

test("APNs: settings that do not fit are refused", () => {
  const faultsOf = (changes: object, context?: { allowPrivateAddresses: boolean }) =>
    checkSettings(apns, { ...SETTINGS, ...changes }, context);
  const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey.export(pkcs8);
  const p384 = generateKeyPairSync("ec", { namedCurve: "P-384" }).privateKey.export(pkcs8);
  assert.deepEqual(faultsOf({}), []);
  for (const [changes, field] of [
    [{ teamId: "short" }, "teamId"],
    [{ keyId: "KEY12345678" }, "keyId"],
    [{ topic: "com.example shop" }, "topic"],
    [{ privateKey: "/etc/AuthKey.p8" }, "privateKey"],
    [{ privateKey: rsa }, "privateKey"],
    [{ privateKey: p384 }, "privateKey"],
    [{ baseUrl: "http://api.example.com" }, "baseUrl"],
    [{ baseUrl: "https://10.0.0.1" }, "baseUrl"],
  ] as const) {
    const faults = faultsOf(changes);
    assert.deepEqual(
      faults.map((fault) => fault.split(":")[0]),
      [field],
    );
  }
  assert.deepEqual(faultsOf({ baseUrl: "http://127.0.0.1" }, { allowPrivateAddresses: true }), []);
});
