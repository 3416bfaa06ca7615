import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import test, { type TestContext } from "node:test";
import type { DeviceMessage } from "@belfry/contracts/sending";
import { assertHas } from "@belfry/testing/assert-has";
import { createHandClock } from "@belfry/testing/hand-clock";
import { jwtVerify } from "jose";
import { deviceMessage } from "../test/device-message.ts";
import { closedPort, type ReceivedCall, startVendor } from "../test/loopback-vendor.ts";
import { NOW_MS, testDeps } from "../test/messages.ts";
import type { GivenAnswer } from "../test/provider-at-vendor.ts";
import { testVendorErrors, type VendorError } from "../test/vendor-errors.ts";
import { fcm } from "./fcm.ts";
import type { ProviderDeps } from "./provider.ts";
import { checkSettings } from "./settings.ts";

// The judges follow firebase.google.com/docs/reference/fcm/rest/v1/projects.messages and …/ErrorCode, and
// developers.google.com/identity/protocols/oauth2/service-account.
const pkcs8 = { type: "pkcs8", format: "pem" } as const;
const KEYS = generateKeyPairSync("rsa", { modulusLength: 2048 });
const PRIVATE_KEY = KEYS.privateKey.export(pkcs8).toString();
const EMAIL = "belfry@shop-1234.iam.gserviceaccount.com";
const DEVICE = { kind: "fcm", token: "dX9:APA91b-device_token" } as const;
const MESSAGE = deviceMessage(DEVICE);
const NAME = "projects/shop-1234/messages/0:1500415314455276%31bd1c9631bd1c96";
const ACCEPT = { status: 200, body: { name: NAME } };
const FCM_ERROR = "type.googleapis.com/google.firebase.fcm.v1.FcmError";
const QUOTA = "type.googleapis.com/google.rpc.QuotaFailure";

const accountFile = (changes: object = {}) =>
  JSON.stringify({
    type: "service_account",
    project_id: "shop-1234",
    private_key_id: "0123456789abcdef",
    private_key: PRIVATE_KEY,
    client_email: EMAIL,
    client_id: "1234",
    auth_uri: "https://accounts.google.com/o/oauth2/auth",
    token_uri: "https://oauth2.googleapis.com/token",
    ...changes,
  });

/** Grants `t1`, `t2` … for a right signature. */
async function startTokens(t: TestContext, expires_in = 3599) {
  let count = 0;
  const grant = async ({ headers, body }: ReceivedCall) => {
    const form = new URLSearchParams(body);
    const isForm = headers["content-type"] === "application/x-www-form-urlencoded";
    const isGrant = form.get("grant_type") === "urn:ietf:params:oauth:grant-type:jwt-bearer";
    try {
      assert.ok(isForm && isGrant);
      const { payload } = await jwtVerify(form.get("assertion")!, KEYS.publicKey, {
        algorithms: ["RS256"],
        issuer: EMAIL,
        audience: `${server.url}/token`,
        currentDate: new Date(NOW_MS),
        requiredClaims: ["exp", "iat"],
      });
      assert.equal(payload.scope, "https://www.googleapis.com/auth/firebase.messaging");
      assert.ok(payload.exp! - payload.iat! <= 3600);
      count += 1;
      const granted = { access_token: `t${count}`, expires_in, token_type: "Bearer" };
      return [200, JSON.stringify(granted)] as const;
    } catch {
      return [400, '{"error":"invalid_grant"}'] as const;
    }
  };
  const server = await startVendor(t, (response, call) => {
    void grant(call).then(([status, body]) => response.writeHead(status).end(body));
  });
  return server;
}

function judge(call: ReceivedCall): GivenAnswer {
  const refused = (status: number, code: string) => error(status, code);
  if (!/^Bearer t\d$/.test(call.headers.authorization ?? ""))
    return refused(401, "UNAUTHENTICATED");
  if (call.path !== "/v1/projects/shop-1234/messages:send") return refused(404, "NOT_FOUND");
  const { message } = JSON.parse(call.body);
  const areTexts = Object.values(message.data).every((value) => typeof value === "string");
  const isRight = call.method === "POST" && areTexts && /^\d+s$/.test(message.android.ttl);
  return isRight ? ACCEPT : refused(400, "INVALID_ARGUMENT");
}

function error(code: number, status: string, errorCode?: string, ...more: object[]): GivenAnswer {
  const details = [...(errorCode ? [{ "@type": FCM_ERROR, errorCode }] : []), ...more];
  return { status: code, body: { error: { code, message: "no", status, details } } };
}

type Answer = GivenAnswer | ((call: ReceivedCall, nth: number) => GivenAnswer | undefined);

async function start(
  t: TestContext,
  answer: Answer = judge,
  deps: Partial<ProviderDeps> = {},
  account: object = {},
  expiresIn?: number,
) {
  const tokens = await startTokens(t, expiresIn);
  const vendor = await startVendor(t, (response, call) => {
    const given = typeof answer === "function" ? answer(call, vendor.received.length) : answer;
    if (given === undefined) return;
    response.writeHead(given.status, given.headers).end(JSON.stringify(given.body));
  });
  const serviceAccount = accountFile({ token_uri: `${tokens.url}/token`, ...account });
  const provider = fcm.create({ serviceAccount, baseUrl: vendor.url }, testDeps(deps));
  t.after(() => provider.close());
  const authorizations = () => vendor.received.map(({ headers }) => headers.authorization);
  return { tokens, vendor, provider, authorizations };
}

test("FCM: a message arrives as the vendor describes it", async (t) => {
  const { provider, vendor } = await start(t);
  const sent = await provider.send(MESSAGE);
  assertHas(sent, { class: "accepted", messageId: NAME, vendorStatus: "200" });
  const { title, body, eventId } = MESSAGE;
  assert.deepEqual(JSON.parse(vendor.received[0]!.body), {
    message: {
      token: DEVICE.token,
      notification: { title, body },
      data: { eventId },
      android: { ttl: "3600s" },
    },
  });
  const more = {
    image: "https://a.example/i.png",
    url: "https://a.example/parcels/1",
    data: { parcel: "1" },
    collapseKey: "parcel 1 ü",
    ttlSeconds: 9_999_999,
  };
  assert.equal((await provider.send({ ...MESSAGE, ...more })).class, "accepted");
  assert.deepEqual(JSON.parse(vendor.received[1]!.body), {
    message: {
      token: DEVICE.token,
      notification: { title, body, image: more.image },
      data: { parcel: "1", url: more.url, eventId },
      android: {
        ttl: "2419200s",
        collapse_key: more.collapseKey,
        notification: { tag: more.collapseKey },
      },
    },
  });
});

const quota = (subject: string, description: string) => ({
  "@type": QUOTA,
  violations: [{ subject, description }],
});
const permanent = { class: "permanent" } as const;
const gone = { class: "permanent", gone: true } as const;

const ERRORS: readonly VendorError[] = [
  ["UNREGISTERED", error(404, "NOT_FOUND", "UNREGISTERED"), gone],
  ["SENDER_ID_MISMATCH", error(403, "PERMISSION_DENIED", "SENDER_ID_MISMATCH"), gone],
  ["INVALID_ARGUMENT", error(400, "INVALID_ARGUMENT", "INVALID_ARGUMENT"), permanent],
  ["bad field", error(400, "INVALID_ARGUMENT"), permanent],
  ["NOT_FOUND", error(404, "NOT_FOUND"), permanent],
  ["QUOTA_EXCEEDED", error(429, "RESOURCE_EXHAUSTED", "QUOTA_EXCEEDED"), { class: "throttled" }],
  [
    "QUOTA_EXCEEDED of the project",
    error(
      429,
      "RESOURCE_EXHAUSTED",
      "QUOTA_EXCEEDED",
      quota("projects/1", "Message rate exceeded"),
    ),
    { class: "throttled", vendorStatus: "QUOTA_EXCEEDED" },
  ],
  [
    "QUOTA_EXCEEDED of a device",
    error(429, "RESOURCE_EXHAUSTED", "QUOTA_EXCEEDED", quota("x", "Device message rate exceeded")),
    { class: "deferred", vendorStatus: "QUOTA_EXCEEDED" },
  ],
  [
    "UNAVAILABLE",
    { ...error(503, "UNAVAILABLE", "UNAVAILABLE"), headers: { "retry-after": "17" } },
    { class: "transient", retryAfterSeconds: 17 },
  ],
  ["INTERNAL", error(500, "INTERNAL", "INTERNAL"), { class: "transient" }],
  [
    "THIRD_PARTY_AUTH_ERROR",
    error(401, "UNAUTHENTICATED", "THIRD_PARTY_AUTH_ERROR"),
    { class: "credentials", vendorStatus: "THIRD_PARTY_AUTH_ERROR" },
  ],
  ["PERMISSION_DENIED", error(403, "PERMISSION_DENIED"), { class: "credentials" }],
  ["UNSPECIFIED_ERROR", error(500, "UNKNOWN", "UNSPECIFIED_ERROR"), { class: "transient" }],
  ["no name", { status: 200, body: {} }, { class: "ambiguous" }],
];
testVendorErrors<DeviceMessage>(
  "FCM",
  (t, answer) => start(t, answer as GivenAnswer),
  MESSAGE,
  ERRORS,
);

test("FCM: concurrent messages share one request for a token", async (t) => {
  const { provider, tokens, authorizations } = await start(t);
  const sent = await Promise.all(Array.from({ length: 12 }, () => provider.send(MESSAGE)));
  assert.ok(sent.every((outcome) => outcome.class === "accepted"));
  assert.equal(tokens.received.length, 1);
  assert.deepEqual(new Set(authorizations()), new Set(["Bearer t1"]));
});

test("FCM: a token is used until a minute before its end, then another is asked for", async (t) => {
  let nowMs = NOW_MS;
  const { provider, authorizations } = await start(t, judge, { now: () => nowMs }, {}, 600);
  for (const ms of [0, 539_000, 1_000]) {
    nowMs += ms;
    assert.equal((await provider.send(MESSAGE)).class, "accepted");
  }
  assert.deepEqual(authorizations(), ["Bearer t1", "Bearer t1", "Bearer t2"]);
});

test("FCM: a token that is refused is replaced once; then the account is at fault", async (t) => {
  const refused = error(401, "UNAUTHENTICATED");
  const { provider, authorizations } = await start(t, (call, nth) =>
    nth === 2 ? judge(call) : refused,
  );
  assert.equal((await provider.send(MESSAGE)).class, "accepted");
  assertHas(await provider.send(MESSAGE), {
    class: "credentials",
    vendorStatus: "UNAUTHENTICATED",
  });
  assert.deepEqual(authorizations(), ["Bearer t1", "Bearer t2", "Bearer t2", "Bearer t3"]);
});

test("FCM: without a token nothing is sent: the account is at fault, or Google away", async (t) => {
  const { provider, vendor } = await start(t, judge, {}, { client_email: "eve@example.com" });
  const wrong = await provider.send(MESSAGE);
  assertHas(wrong, { class: "credentials", vendorStatus: "400" });
  assert.match(wrong.vendorAnswer!, /invalid_grant/);
  const token_uri = `http://127.0.0.1:${await closedPort()}/token`;
  const away = await start(t, judge, {}, { token_uri });
  assert.equal((await away.provider.send(MESSAGE)).class, "transient");
  assert.equal(vendor.received.length + away.vendor.received.length, 0);
});

test("FCM: an answer that never comes is ambiguous, and of an echoed key nothing is kept", async (t) => {
  const clock = createHandClock();
  const { provider } = await start(
    t,
    () => {
      clock.advance(60_000);
      return undefined;
    },
    { clock },
  );
  assert.equal((await provider.send(MESSAGE)).class, "ambiguous");
  const echo = await start(t, {
    status: 400,
    body: { echo: PRIVATE_KEY, tail: "Bearer t1aaaaaaaaa" },
  });
  const { vendorAnswer } = await echo.provider.send(MESSAGE);
  assert.equal(vendorAnswer, '{"echo":"••••","tail":"Bearer ••••"}');
});

test("FCM: a file that is no service account's is refused by what is wrong, never by its values", async () => {
  const ec = generateKeyPairSync("ec", { namedCurve: "P-256" }).privateKey.export(pkcs8);
  const small = generateKeyPairSync("rsa", { modulusLength: 1024 }).privateKey.export(pkcs8);
  const large = generateKeyPairSync("rsa", { modulusLength: 4104 }).privateKey.export(pkcs8);
  const shape = (field: string) => `serviceAccount: has no valid ${field} of a service account`;
  const rsa = "serviceAccount: private_key must be an RSA key";
  for (const [serviceAccount, faults] of [
    [accountFile(), []],
    ["/etc/key.json", [shape("type")]],
    [accountFile({ type: "authorized_user" }), [shape("type")]],
    [accountFile({ project_id: "../x" }), [shape("project_id")]],
    [accountFile({ client_email: undefined }), [shape("client_email")]],
    [accountFile({ private_key: "/etc/key.pem" }), [shape("private_key")]],
    [accountFile({ private_key: ec }), [rsa]],
    [accountFile({ private_key: small }), [rsa]],
    [accountFile({ private_key: large }), [rsa]],
    [
      accountFile({ token_uri: "http://a.example/token" }),
      ["serviceAccount: token_uri must begin with https://"],
    ],
    [
      accountFile({ token_uri: "https://169.254.169.254/" }),
      ["serviceAccount: token_uri must be a public address"],
    ],
  ] as const) {
    assert.deepEqual(checkSettings(fcm, { serviceAccount }), faults);
  }
  const provider = fcm.create({ serviceAccount: accountFile() }, testDeps());
  const other = { kind: "apns", token: "a".repeat(64), environment: "sandbox" } as const;
  assertHas(await provider.send(deviceMessage(other)), { class: "permanent", gone: undefined });
});

test("FCM: a token's address that resolves to a private one gets no connection", async (t) => {
  const tokens = await startVendor(t, () => assert.fail("called"));
  const { port } = new URL(tokens.url);
  const serviceAccount = accountFile({ token_uri: `https://tokens.example:${port}/` });
  const resolve = async () => [{ address: "127.0.0.1", family: 4 }];
  const deps = testDeps({ allowPrivateAddresses: false, resolve });
  const provider = fcm.create({ serviceAccount }, deps);
  t.after(() => provider.close());
  const refused = await provider.send(MESSAGE);
  assert.equal(refused.class, "credentials");
  assert.match(refused.reason, /no public address/);
  assert.equal(tokens.connections(), 0);
});
