import assert from "node:assert/strict";
import test from "node:test";
import type { OutcomeClass } from "@belfry/contracts/sending";
import { assertHas } from "@belfry/testing/assert-has";
import { createHandClock } from "@belfry/testing/hand-clock";
import { testHttpPromises } from "../test/http-provider-promises.ts";
import { startVendor } from "../test/loopback-vendor.ts";
import { EMAIL, LIST_EMAIL, SMS, testDeps } from "../test/messages.ts";
import { providerAtVendor } from "../test/provider-at-vendor.ts";
import { httpEmail, httpText } from "./http.ts";
import { isError, pointerFault, valueAt } from "./json-pointer.ts";
import { checkSettings, maskSettings } from "./settings.ts";

const KEY = "k3y-of-the-account";
const SETTINGS = {
  headers: `Authorization: Bearer ${KEY}\nX-Team: red`,
  body: '{"to": {{ to }}, "text": "{{ text }}"}',
  successStatuses: "201, 202",
  messageIdPointer: "/data/id",
  errorPointer: "/error/code",
};
const accept = { status: 201, headers: {}, body: '{"data":{"id":"m-1"}}' };
const PUBLIC = { url: "https://api.acme.example/v1/sms?version=2", ...SETTINGS };

const common = { addressSetting: "url", secrets: [KEY], accept };
testHttpPromises({ ...common, kind: httpText, settings: SETTINGS, message: SMS });

const start = providerAtVendor(httpText, SETTINGS, "url");
const startEmail = providerAtVendor(httpEmail, SETTINGS, "url");

test("a message is the request of the settings: method, header fields, body, address and query", async (t) => {
  const vendor = await startVendor(t, (response) => response.writeHead(201).end(accept.body));
  const url = `${vendor.url}/v1/sms?version=2`;
  const provider = httpText.create({ ...SETTINGS, url, method: "PUT" }, testDeps());
  t.after(() => provider.close());
  assert.deepEqual(await provider.send(SMS), {
    class: "accepted",
    reason: "The API accepted the message",
    messageId: "m-1",
    vendorStatus: "201",
    vendorAnswer: null,
    retryAfterSeconds: null,
  });
  const [call] = vendor.received;
  assertHas(call, { method: "PUT", path: "/v1/sms?version=2" });
  const { host: _host, "content-length": length, ...headers } = call!.headers;
  assert.deepEqual(headers, {
    accept: "application/json",
    authorization: `Bearer ${KEY}`,
    connection: "keep-alive",
    "content-type": "application/json",
    "user-agent": "belfry",
    "x-team": "red",
  });
  assert.equal(Number(length), Buffer.byteLength(call!.body));
  assert.deepEqual(JSON.parse(call!.body), { to: SMS.to, text: SMS.text });
});

test("every value of a text message, and of a mail, can stand in the body", async (t) => {
  const ids = `"delivery": {{ delivery_id }}, "event": {{ event_id }}, "tenant": {{ tenant_id }}`;
  const text = await start(t, accept, {
    body: `{"to": {{ to }}, "text": {{ text }}, "n": {{ segments }}, "enc": {{ encoding }}, ${ids}}`,
  });
  assert.equal((await text.provider.send(SMS)).class, "accepted");
  const expectedIds = { delivery: SMS.deliveryId, event: SMS.eventId, tenant: SMS.tenantId };
  assert.deepEqual(JSON.parse(text.vendor.received[0]!.body), {
    to: SMS.to,
    text: SMS.text,
    n: 1,
    enc: "UCS-2",
    ...expectedIds,
  });
  const mail = await startEmail(t, accept, {
    body: `{"to": {{ to }}, "subject": {{ subject }}, "html": {{ html }}, "text": {{ text }}, "headers": {{ headers }},
      "list": "{{ headers.List-Id }}", ${ids}}`,
  });
  for (const [message, listId] of [
    [EMAIL, ""],
    [LIST_EMAIL, "<offers.acme.mail.example.com>"],
  ] as const) {
    assert.equal((await mail.provider.send(message)).class, "accepted");
    const { headers, list, ...rest } = JSON.parse(mail.vendor.received.at(-1)!.body);
    const { to, subject, html, text: plain } = message;
    assert.deepEqual(rest, { to, subject, html, text: plain, ...expectedIds });
    assert.equal(list, listId);
    assert.equal(headers["Auto-Submitted"], "auto-generated");
  }
});

test("a mail's name, reply address and copies can stand in the body, and are empty where there are none", async (t) => {
  const { vendor, provider } = await startEmail(t, accept, {
    body: '{"name": {{ from_name }}, "reply": {{ reply_to }}, "cc": {{ cc }}, "bcc": {{ bcc }}, "first": "{{ cc.0 }}"}',
  });
  const names = { fromName: "Ann", replyTo: "help@example.com" };
  await provider.send({ ...EMAIL, ...names, cc: ["c@example.com"], bcc: ["b@example.com"] });
  await provider.send(EMAIL);
  assert.deepEqual(
    vendor.received.map(({ body }) => JSON.parse(body)),
    [
      {
        ...{ name: "Ann", reply: "help@example.com" },
        ...{ cc: ["c@example.com"], bcc: ["b@example.com"], first: "c@example.com" },
      },
      { name: "", reply: "", cc: [], bcc: [], first: "" },
    ],
  );
});

test("where the body names no copies, the attempt says that nobody got one", async (t) => {
  const { provider } = await startEmail(t, accept, { body: '{"to": {{ to }}, "bcc": {{ bcc }}}' });
  const copies = { cc: ["c@example.com"], bcc: ["b@example.com"] };
  const { class: outcomeClass, reason } = await provider.send({ ...EMAIL, ...copies });
  assert.deepEqual(
    [outcomeClass, reason],
    ["accepted", "The API accepted the message; its body names no cc"],
  );
  assert.equal((await provider.send(EMAIL)).reason, "The API accepted the message");
});

test("no text of a message leaves its place in the body", async (t) => {
  const { vendor, provider } = await start(t, accept);
  for (const text of ['", "to": "+1', '\\"}', "\u0000\u2028\r\n", "{{ to }}", "\ud800"]) {
    assert.equal((await provider.send({ ...SMS, text })).class, "accepted");
    assert.deepEqual(JSON.parse(vendor.received.at(-1)!.body), { to: SMS.to, text });
  }
});

const none = { messageIdPointer: undefined, errorPointer: undefined, successStatuses: undefined };
const OK = { successValues: "000, 00,OK, none" };
const ANSWERS: readonly (readonly [string, number, string, OutcomeClass, object?])[] = [
  ["a success with its id", 202, '{"data":{"id":7}}', "accepted"],
  ["a status of success that is not one of the settings'", 200, accept.body, "ambiguous"],
  ["a success without the id", 201, '{"data":{}}', "ambiguous"],
  ["a success with an id that cannot be kept", 201, '{"data":{"id":"a b"}}', "ambiguous"],
  ["a success with too long an id", 201, `{"data":{"id":"${"a".repeat(256)}"}}`, "ambiguous"],
  ["a success that is no JSON", 201, "OK", "ambiguous"],
  [
    "a success that is no JSON, where an error may stand in it",
    201,
    "OK",
    "ambiguous",
    { messageIdPointer: undefined },
  ],
  ["a success that is no JSON, where none is needed", 201, "OK", "accepted", none],
  ["nothing at all, where none is needed", 204, "", "accepted", none],
  ["an error inside a success", 201, '{"data":{"id":"m-1"},"error":{"code":42}}', "policy"],
  ["an error inside another success", 200, '{"error":{"code":"E42"}}', "policy"],
  ["no error inside a success", 201, '{"data":{"id":"m-1"},"error":{"code":0}}', "accepted"],
  [
    "one of the values of success",
    201,
    '{"data":{"id":"m-1"},"error":{"code":"000"}}',
    "accepted",
    OK,
  ],
  ["another of them", 201, '{"data":{"id":"m-1"},"error":{"code":"none"}}', "accepted", OK],
  [
    "a value of success behind blanks",
    201,
    '{"data":{"id":"m-1"},"error":{"code":" OK "}}',
    "accepted",
    OK,
  ],
  [
    "a value beside those of success",
    201,
    '{"data":{"id":"m-1"},"error":{"code":"001"}}',
    "policy",
    OK,
  ],
  [
    "a list of values of success",
    201,
    '{"data":{"id":"m-1"},"error":{"code":["OK"]}}',
    "policy",
    OK,
  ],
  [
    "a value of success without the setting",
    201,
    '{"data":{"id":"m-1"},"error":{"code":"000"}}',
    "policy",
  ],
  ["a success behind a byte order mark", 201, `\ufeff${accept.body}`, "accepted"],
  ["a null for an error", 201, '{"data":{"id":"m-1"},"error":null}', "accepted"],
  ["an inherited name", 201, "{}", "ambiguous", { messageIdPointer: "/constructor/name" }],
  ["a length that is no item", 201, "[1]", "ambiguous", { messageIdPointer: "/length" }],
  ["an item of a list", 201, '[{"id":"m-1"}]', "accepted", { messageIdPointer: "/0/id" }],
  ["a name with signs", 201, '{"a/b~":"m-1"}', "accepted", { messageIdPointer: "/a~1b~0" }],
  ["a 400 with its code", 400, '{"error":{"code":"bad-number"}}', "permanent"],
  ["a 401", 401, '{"error":{"code":"bad-key"}}', "credentials"],
  ["a 402", 402, "no credit", "credentials"],
  ["a 429", 429, "{}", "throttled"],
  ["a 500", 500, "<html>", "transient"],
];
for (const [name, status, body, expected, changes] of ANSWERS) {
  test(`${name} is ${expected}`, async (t) => {
    const settings = JSON.parse(JSON.stringify({ ...SETTINGS, ...changes }));
    const { vendor, provider } = await providerAtVendor(
      httpText,
      settings,
      "url",
    )(t, { status, body });
    assert.equal((await provider.send(SMS)).class, expected);
    assert.equal(vendor.received.length, 1, "no second call");
  });
}

test("an error's code is shown in place of the status, if it is short", async (t) => {
  for (const [code, status, shown] of [
    ["bad-number", 400, "bad-number"],
    [42, 201, "42"],
    ["the number is not valid", 400, "400"],
    ["x".repeat(65), 400, "400"],
    [{ deep: 1 }, 201, "201"],
  ] as const) {
    const { provider } = await start(t, { status, body: JSON.stringify({ error: { code } }) });
    const outcome = await provider.send(SMS);
    assert.equal(outcome.vendorStatus, shown);
    assert.match(outcome.vendorAnswer!, /error/);
  }
});

const HOSTILE: readonly (readonly [string, string, OutcomeClass])[] = [
  ["deeply nested lists", "[".repeat(30_000) + "]".repeat(30_000), "ambiguous"],
  [
    "deeply nested where the error stands",
    `{"error":{"code":${"[".repeat(20_000)}${"]".repeat(20_000)}}}`,
    "policy",
  ],
  ["deeply nested objects", `${'{"data":'.repeat(8_000)}1${"}".repeat(8_000)}`, "ambiguous"],
  ["an object of its own prototype", '{"__proto__":{"data":{"id":"m-1"}}}', "ambiguous"],
  ["10 MB of JSON", `{"pad":"${"x".repeat(10 * 1024 * 1024)}","data":{"id":"m-1"}}`, "ambiguous"],
  [
    "an id behind 10 MB, read to its 64 KB",
    `{"data":{"id":"m-1"},"pad":"${"x".repeat(10 * 1024 * 1024)}"}`,
    "ambiguous",
  ],
  ["binary", "\u0000\ufffd\u0001".repeat(1000), "ambiguous"],
];
for (const [name, body, expected] of HOSTILE) {
  test(`a hostile success is judged, and is none: ${name}`, async (t) => {
    const { provider } = await start(t, { status: 201, body });
    const outcome = await provider.send(SMS);
    assert.equal(outcome.class, expected);
    assert.equal(outcome.messageId, null);
    assert.ok(Buffer.byteLength(outcome.vendorAnswer ?? "") <= 1024);
  });
}

test("a success that never ends is no success: its start is judged", async (t) => {
  const { provider } = await start(t, (response) => {
    response.writeHead(201).write('{"data":{"id":"m-1"},"pad":"');
    const more = () => {
      while (response.write("x".repeat(16 * 1024))) {}
    };
    response.on("drain", more);
    more();
  });
  assert.equal((await provider.send(SMS)).class, "ambiguous");
});

test("a success that drips is no success after the timeout", async (t) => {
  const clock = createHandClock();
  const timeoutMs = 10_000;
  const { provider } = await start(
    t,
    (response) => {
      response.writeHead(201).write('{"data":{"id":"m-1"}');
      const drip = () => {
        if (response.closed || clock.nowMs() > 2 * timeoutMs) return;
        response.write(" ");
        clock.advance(timeoutMs / 100);
        setImmediate(drip);
      };
      drip();
    },
    {},
    { timeoutMs, clock },
  );
  assert.equal((await provider.send(SMS)).class, "ambiguous");
  assert.ok(clock.nowMs() < 2 * timeoutMs);
});

test("the address is judged at each connect: a name that has become private gets no connection", async (t) => {
  const vendor = await startVendor(t, (response) => response.writeHead(201).end(accept.body));
  const { port } = new URL(vendor.url);
  let address = "127.0.0.1";
  const deps = testDeps({
    allowPrivateAddresses: false,
    resolve: async () => [{ address, family: 4 }],
  });
  const provider = httpText.create({ ...SETTINGS, url: `https://api.acme.example:${port}` }, deps);
  t.after(() => provider.close());
  for (address of ["127.0.0.1", "169.254.169.254", "10.0.0.1"]) {
    const outcome = await provider.send(SMS);
    assertHas(outcome, { class: "credentials", reason: "the host has no public address" });
  }
  assert.equal(vendor.connections(), 0);
});

test("a key that the API wants in the body is a secret, and masked where the API repeats it", async (t) => {
  const secret = "k3y-in-the-b0dy";
  const body = '{"key": {{ secret }}, "to": {{ to }}, "text": {{ text }}}';
  const { vendor, provider } = await start(
    t,
    { judge: ({ body }) => ({ status: 400, body: `wrong: ${body}` }) },
    { secret, body },
  );
  const outcome = await provider.send(SMS);
  assert.equal(JSON.parse(vendor.received[0]!.body).key, secret);
  assert.match(outcome.vendorAnswer!, /^wrong: {"key": "••••"/);
  assert.equal(maskSettings(httpText, { ...PUBLIC, secret }).secret, "•••• b0dy");
});

test("a message whose body is no JSON, or too large, is not sent", async (t) => {
  const keyed = await start(t, accept, { body: "{ {{ segments }}: 1 }" });
  const noJson = await keyed.provider.send(SMS);
  assertHas(noJson, {
    class: "permanent",
    reason: "the body of the provider's settings is no JSON with this message's values",
  });
  const large = await startEmail(t, accept, {
    body: `[${Array(20).fill("{{ html }}").join(", ")}]`,
  });
  const html = "x".repeat(500_000);
  assert.equal((await large.provider.send({ ...EMAIL, html })).class, "permanent");
  for (const { vendor } of [keyed, large]) assert.equal(vendor.connections(), 0);
});

test("each fault of the settings names its field and rule, and repeats no value of a header field", () => {
  assert.deepEqual(checkSettings(httpText, PUBLIC), []);
  assert.deepEqual(checkSettings(httpText, { url: PUBLIC.url, body: '"{{ text }}"' }), []);
  for (const [changes, ...faults] of [
    [{ url: "http://api.acme.example" }, "url: must begin with https://"],
    [{ url: "https://10.0.0.1/v1" }, "url: must be a public address"],
    [{ url: "https://a:b@api.acme.example" }, "url: must not hold credentials"],
    [{ url: "https://api.acme.example/\r\nx" }, "url: must be one line without control characters"],
    [{ method: "GET" }, "method: must be one of POST, PUT, PATCH"],
    [{ headers: "no colon" }, "headers: line 1: must be a name, a colon and a value"],
    [{ headers: "a: 1\n\nA: 2" }, "headers: line 3: names a header field that stands above"],
    [
      { headers: "X-Key:" },
      "headers: line 1: must have a value of printable ASCII, of at most 4,096 characters",
    ],
    [
      { headers: "X-Key: sécret" },
      "headers: line 1: must have a value of printable ASCII, of at most 4,096 characters",
    ],
    [{ headers: "X Key: 1" }, "headers: line 1: must be a name, a colon and a value"],
    [
      { headers: "Host: a\nTransfer-Encoding: b" },
      "headers: line 1: is a header field of the connection, which cannot be set",
      "headers: line 2: is a header field of the connection, which cannot be set",
    ],
    [
      { headers: Array.from({ length: 21 }, (_, at) => `x-${at}: 1`).join("\n") },
      "headers: there are more than 20",
    ],
    [
      { body: '{\n  "a": {{ txt }}\n}' },
      "body: line 2, column 11: there is no txt here: there are to, text, segments, encoding, delivery_id, event_id, tenant_id, secret",
    ],
    [
      { body: '{"a": {{ text }},}' },
      "body: line 1, column 18: no JSON: the name of a value in quotes is expected",
    ],
    [{ body: '{"a": {{ text }' }, "body: line 1, column 7: this tag is not closed: }} is missing"],
    [
      { successStatuses: "2xx" },
      "successStatuses: must be statuses and ranges with commas between, as 200-202, 204",
    ],
    [{ successStatuses: "299-200" }, "successStatuses: a range ends before it begins"],
    [{ messageIdPointer: "id" }, "messageIdPointer: must begin with a slash, as /data/id"],
    [{ errorPointer: "/a~2" }, "errorPointer: has a ~, which is written as ~0"],
  ] as const) {
    assert.deepEqual(checkSettings(httpText, { ...PUBLIC, ...changes }), faults);
  }
});

test("header fields are a secret: masked where they are shown, and asked for again at another address", () => {
  assert.equal(maskSettings(httpText, PUBLIC).headers, "••••");
  assert.equal(httpText.settings.properties.headers?.secret, true);
  assert.equal(httpText.settings.properties.url?.destination, true);
});

test("a pointer is read step by step, and bounded", () => {
  assert.equal(pointerFault("/".repeat(21)), "has more than 20 steps");
  assert.equal(valueAt({ "": { "": 1 } }, "//"), 1);
  assert.equal(valueAt([[0, 7]], "/0/1"), 7);
  for (const pointer of ["/constructor", "/__proto__", "/toString/name", "/__proto__/toString"]) {
    assert.equal(valueAt({}, pointer), undefined, pointer);
  }
  for (const pointer of ["/00", "/-1", "/1e0", "/x", "/0/9/1"]) {
    assert.equal(valueAt([[0, 7]], pointer), undefined, pointer);
  }
  for (const value of [undefined, null, false, 0, "", "0", [], {}]) assert.ok(!isError(value));
  for (const value of [true, 1, -1, "no", [0], { a: 0 }]) assert.ok(isError(value));
});
