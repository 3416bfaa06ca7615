import assert from "node:assert/strict";
import { test } from "node:test";
import { CHANNELS, channelMask } from "@belfry/contracts/channels";
import { faultsOf as faultsIn, faultText, type Problem } from "@belfry/contracts/problems";
import { TriggerRequest } from "@belfry/contracts/trigger";
import { parseJson } from "@belfry/http-api/read-request";
import { assertEach } from "@belfry/testing/assert-each";
import { BAD_ADDRESSES } from "@belfry/testing/hostile";
import { Ajv2020 } from "ajv/dist/2020.js";
import { automaticKey, explicitKey, readTrigger, readVariables } from "./read-trigger.ts";

const good = { eventType: "order.confirmed", payload: { userId: "u1" } };

function faultsOf(body: unknown): string[] {
  return faultsIn(TriggerRequest, body, "body", "").map(faultText);
}

function read(body: unknown) {
  assert.deepEqual(faultsOf(body), []);
  const { variables = null } = body as TriggerRequest;
  return readTrigger(body as TriggerRequest, variables, []);
}

const readJson = (json: string) => read(JSON.parse(json));

test("only the specification's fields are read", () => {
  const trigger = read({
    ...good,
    eventId: "1001",
    channels: ["PUSH", "EMAIL", "PUSH"],
    surplus: 1,
    payload: { userId: "u1", recipientEmail: "Ann@Example.com", other: true },
    variables: { a: 1 },
  });
  assert.deepEqual(trigger, {
    eventType: "order.confirmed",
    reference: "1001",
    userId: "u1",
    recipientEmail: "Ann@Example.com",
    recipientPhone: null,
    variables: { a: 1 },
    options: { channels: channelMask(["EMAIL", "PUSH"]) },
  });
});

test("null and empty addresses count as absent", () => {
  for (const nothing of [null, "", undefined]) {
    const { recipientEmail, recipientPhone } = read({
      ...good,
      payload: { userId: "u1", recipientEmail: nothing, recipientPhone: nothing },
    });
    assert.equal(recipientEmail, null);
    assert.equal(recipientPhone, null);
  }
});

test("an address is stored in the form that suppressions compare; every address that SMTP can carry is accepted", () => {
  for (const [recipientEmail, stored] of [
    ["a@bücher.example", "a@xn--bcher-kva.example"],
    ["jo\u0308rg@example.com", "jörg@example.com"],
    ["a..b@docomo.ne.jp", "a..b@docomo.ne.jp"],
    ['"a..b"@docomo.ne.jp', "a..b@docomo.ne.jp"],
  ] as const) {
    const trigger = read({ ...good, payload: { userId: "u", recipientEmail } });
    assert.equal(trigger.recipientEmail, stored);
  }
});

test("a locale is stored in its canonical form", () => {
  const optionsOf = (locale: string, channels: string[]) =>
    read({ ...good, locale, channels }).options;
  for (const [given, canonical] of [
    ["de", "de"],
    ["DE-at", "de-AT"],
    ["zh-hANT-tw", "zh-Hant-TW"],
    ["es-419", "es-419"],
    ["fil", "fil"],
    // Old names of languages.
    ["iw", "he"],
    ["sh", "sr-Latn"],
    // Well formed, but no existing language.
    ["xx-Qaaa-ZZ", "xx-Qaaa-ZZ"],
  ] as const) {
    assert.deepEqual(optionsOf(given, []), { channels: null, locale: canonical }, given);
    const both = { channels: channelMask(["SMS"]), locale: canonical };
    assert.deepEqual(optionsOf(given, ["SMS"]), both, given);
  }
  assert.equal(read({ ...good, channels: [] }).options, null);
});

test("the envelope of a mail is stored as addresses are, and what says nothing is nothing", () => {
  const envelopeOf = (email: unknown) => read({ ...good, email }).options;
  for (const nothing of [{}, { fromName: null, replyTo: "", cc: null, bcc: null }, { other: 1 }]) {
    assert.equal(envelopeOf(nothing), null, JSON.stringify(nothing));
  }
  assert.deepEqual(
    envelopeOf({
      fromName: "Ann",
      replyTo: "help@bücher.example",
      cc: ["jörg@bücher.example", '"b"@x.io', "B@X.io", "b@x.io"],
      bcc: [],
      attachment: "x",
    }),
    {
      envelope: {
        fromName: "Ann",
        replyTo: "help@xn--bcher-kva.example",
        cc: ["jörg@xn--bcher-kva.example", "b@x.io"],
        bcc: [],
      },
    },
  );
});

test("the envelope is part of the automatic key as it is stored", () => {
  const key = (email?: unknown) => automaticKey("a", read({ ...good, email }), false);
  assert.equal(key({ cc: [" "].slice(1), fromName: null }), key({ cc: [] }));
  assert.equal(key({ replyTo: null }), key());
  assert.equal(
    key({ cc: ["a@x.io", "A@x.io"], bcc: ["b@x.io"] }),
    key({ bcc: ["b@x.io"], cc: ["a@x.io"] }),
  );
  const keys = [
    ...[
      undefined,
      { fromName: "a" },
      { replyTo: "a@x.io" },
      { cc: ["a@x.io"] },
      { bcc: ["a@x.io"] },
    ],
    ...[{ cc: [] }, { cc: ["b@x.io"] }, { cc: ["a@x.io", "b@x.io"] }],
  ].map(key);
  assert.equal(new Set(keys).size, keys.length);
});

const BAD_LOCALES: unknown[] = [
  ...["", " ", "d", "german", "de_AT", "de-", "xx-", "-de", "de-AT ", "de-AT\n", "de--AT", "déu"],
  ...["de-AUT", "de-Lat", "zh-TW-Hant", "de-AT-1996", "ca-ES-valencia", "de-DE-u-co-phonebk"],
  ...["x-klingon", "i-klingon", "en-x-private", "*", "de\u0000", "de-\ud800", "../de", "__proto__"],
  ...["a".repeat(300), "de-".repeat(100), 5, true, null, ["de"], [], { language: "de" }],
];

const BAD_PHONES: unknown[] = [
  ...["12025550123", "+12", "+123456", "+0123", "+1202555012345678", "+1 202 555"],
  ...["+12025550123\n", 5],
];

type Case = [what: string, part: object, fault: string];

/** Each is the only fault of a body that is good otherwise. */
const BAD_PARTS: Case[] = [
  ["no userId", { payload: {} }, "payload.userId must be a string"],
  ["a number for eventType", { eventType: 5 }, "eventType must be a string"],
  ["an empty eventType", { eventType: "" }, "eventType should not be empty"],
  ["256 characters", { eventType: "x".repeat(256) }, "eventType must be at most 255 characters"],
  [
    "a control character",
    { payload: { userId: "a\u0000b" } },
    "payload.userId must not contain control characters",
  ],
  ["a lone surrogate", { eventId: "\ud800" }, "eventId must not contain lone surrogates"],
  ["a null eventId", { eventId: null }, "eventId must be a string"],
  ["channels as text", { channels: "EMAIL" }, "channels must be an array"],
  ...BAD_LOCALES.map<Case>((locale) => [
    `the locale ${JSON.stringify(locale)?.slice(0, 40)}`,
    { locale },
    "locale must be a language[-Script][-REGION] of BCP 47, as de, de-AT or zh-Hant",
  ]),
  ["email as an array", { email: [] }, "email must be an object"],
  ...["a\r\nBcc: evil@x.io", "a\u0000", "a\u0085"].map<Case>((fromName) => [
    `the sender's name ${JSON.stringify(fromName)}`,
    { email: { fromName } },
    "email.fromName must not contain control characters",
  ]),
  ["a name in two lines", { email: { fromName: "a\u2028b" } }, "email.fromName must be one line"],
  ["a blank name", { email: { fromName: " " } }, "email.fromName must not be blank"],
  ["a number for a name", { email: { fromName: 5 } }, "email.fromName must be a string"],
  ...[...BAD_ADDRESSES, 7, {}].flatMap<Case>((bad) => [
    [
      `answers to ${JSON.stringify(bad)}`,
      { email: { replyTo: bad } },
      "email.replyTo must be an email address",
    ],
    ...["cc", "bcc"].map<Case>((name) => [
      `${name} ${JSON.stringify(bad)}`,
      { email: { [name]: ["a@x.io", bad] } },
      `email.${name} must have only email addresses: number 2 is none`,
    ]),
    [
      `the address ${JSON.stringify(bad)}`,
      { payload: { userId: "u", recipientEmail: bad } },
      "payload.recipientEmail must be an email address",
    ],
  ]),
  [
    "answers to an address beyond ASCII",
    { email: { replyTo: "jörg@example.com" } },
    "email.replyTo must be an email address with only ASCII characters before the @",
  ],
  ["a text for cc", { email: { cc: "a@x.io" } }, "email.cc must be an array of email addresses"],
  [
    "eleven addresses",
    { email: { bcc: Array.from({ length: 11 }, (_, at) => `a${at}@x.io`) } },
    "email.bcc must have at most 10 addresses",
  ],
  ["variables as an array", { variables: [] }, "variables must be an object"],
  ["null variables", { variables: null }, "variables must be an object"],
  ...BAD_PHONES.map<Case>((recipientPhone) => [
    `the phone ${JSON.stringify(recipientPhone)}`,
    { payload: { userId: "u", recipientPhone } },
    "payload.recipientPhone must be a phone number in E.164 form, as +12025550123",
  ]),
];

type Fault = [what: string, body: unknown, faults: string[]];

const FAULTS: Fault[] = [
  ["not an object", [], ["body must be an object"]],
  ["null", null, ["body must be an object"]],
  ["a string", "x", ["body must be an object"]],
  [
    "nothing in it",
    {},
    ["eventType must be a string", "payload must be an object", "payload.userId must be a string"],
  ],
  [
    "unknown channels",
    { ...good, channels: ["EMAIL", "FAX", 3] },
    [1, 2].map((place) => `channels[${place}] must be one of ${CHANNELS.join(", ")}`),
  ],
  ...BAD_PARTS.map<Fault>(([what, part, fault]) => [what, { ...good, ...part }, [fault]]),
];

for (const [name, body, faults] of FAULTS) {
  test(`every fault is reported, with its field: ${name}`, () => {
    assert.deepEqual(faultsOf(body), faults);
  });
}

test("255 characters pass, counted as characters", () => {
  assert.deepEqual(faultsOf({ ...good, eventType: "x".repeat(255) }), []);
  assert.deepEqual(faultsOf({ ...good, eventType: "💌".repeat(255) }), []);
  assert.deepEqual(faultsOf({ ...good, eventType: "💌".repeat(256) }), [
    "eventType must be at most 255 characters",
  ]);
});

test("64 levels pass and 65 do not", () => {
  const nested = (levels: number): unknown => (levels === 0 ? 1 : { a: nested(levels - 1) });
  assert.deepEqual(faultsOf({ ...good, variables: nested(63) }), []);
  assert.deepEqual(faultsOf({ ...good, variables: nested(64) }), [
    "body must not be nested deeper than 64 levels",
  ]);
  const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
  assert.equal(
    faultsOf(parseJson(`{"eventType":"a","payload":{"userId":"u"},"x":${deep}}`)).length,
    1,
  );
});

test("the documented schema accepts and refuses the same as the check", () => {
  const validate = new Ajv2020({ strict: false, validateFormats: false }).compile(TriggerRequest);
  assert.ok(validate(good));
  // Keywords cannot express these rules; descriptions do.
  const beyond = /surrogates|email address|blank/;
  for (const [name, body, faults] of FAULTS) {
    if (faults.every((fault) => !beyond.test(fault))) assert.equal(validate(body), false, name);
  }
});

test("the automatic key depends on tenant, type and payload: not on order, eventId, locale or variables", () => {
  const one = readJson('{"eventType":"t","payload":{"userId":"u","recipientEmail":"a@b.example"}}');
  const same = readJson(
    '{"eventId":"9","variables":{"x":1},"payload":{"recipientEmail":"a@b.example","z":1,"userId":"u"},"eventType":"t","channels":["SMS"],"locale":"de"}',
  );
  assert.equal(automaticKey("a", one, false), automaticKey("a", same, false));
  assert.notEqual(automaticKey("a", one, false), automaticKey("b", one, false));
  assert.notEqual(automaticKey("a", one, true), automaticKey("a", same, true));
  const other = readJson(
    '{"eventType":"t","payload":{"userId":"u","recipientEmail":"c@b.example"}}',
  );
  assert.notEqual(automaticKey("a", one, false), automaticKey("a", other, false));
});

test("with variables, key order does not matter and special keys do", () => {
  const key = (variables: string) =>
    automaticKey(
      "a",
      readJson(`{"eventType":"t","payload":{"userId":"u"},"variables":${variables}}`),
      true,
    );
  assert.equal(key('{"a":1,"b":{"c":2,"d":[3]}}'), key('{"b":{"d":[3],"c":2},"a":1}'));
  assert.notEqual(key('{"__proto__":1}'), key("{}"));
  assert.notEqual(key('{"a":[1,2]}'), key('{"a":[2,1]}'));
  assert.notEqual(key('{"a":{}}'), key('{"a":[]}'));
});

test("explicit keys have their own namespace and the rule of other texts", () => {
  assert.notEqual(explicitKey("a", "k"), explicitKey("b", "k"));
  for (const bad of ["", "x".repeat(256), "a\tb"]) {
    assert.throws(
      () => explicitKey("a", bad),
      (error: Problem) => /^X-Idempotency-Key /.test(String(error.body.message)),
    );
  }
});

test("the automatic key of an immediate event has not changed", () => {
  const payload = { userId: "user-1", recipientEmail: "ann@example.com" };
  const trigger = read({ eventType: "order.confirmed", payload, variables: { a: 1 } });
  assert.equal(
    automaticKey("acme", trigger, false),
    "dc8bf12000d28ca9a6aa59939dbc8faa48600ff1a42722ae70795d0f52eadb1c",
  );
  assert.equal(
    automaticKey("acme", trigger, true),
    "b40404ab6146af71217fe6f6e2c7eb5e187f3103d62dadb9f94b5f219ada9888",
  );
});

test("a chat address is part of the automatic key, and no other field can stand for it", () => {
  const ops = { recipientChat: "slack:#ops" };
  const forms = [
    {},
    { payload: { userId: "u1", ...ops } },
    { payload: { userId: "u1", recipientChat: "slack:#dev" } },
    { variables: { chat: ops.recipientChat } },
    { cancelKey: ops.recipientChat },
  ];
  const keys = forms.map((form) => automaticKey("a", read({ ...good, ...form }), true));
  assert.equal(new Set(keys).size, forms.length);
  for (const recipientChat of [null, ""]) {
    const none = read({ ...good, payload: { userId: "u1", recipientChat } });
    assert.equal(automaticKey("a", none, true), keys[0]);
  }
});

test("times, delays and cancel keys are part of the automatic key, as they were sent", () => {
  const forms = [
    {},
    { sendAt: "2026-11-20T09:30:00+01:00" },
    // The same moment.
    { sendAt: "2026-11-20T08:30:00Z" },
    { sendAt: "2026-11-20T08:30:00.000Z" },
    { delaySeconds: 0 },
    { delaySeconds: 60 },
    { cancelKey: "60" },
    { delaySeconds: 60, cancelKey: "60" },
  ];
  for (const withVariables of [false, true]) {
    const keys = forms.map((form) => automaticKey("a", read({ ...good, ...form }), withVariables));
    assert.equal(new Set(keys).size, forms.length);
    assertEach(forms, (form) => automaticKey("a", read({ ...good, ...form }), withVariables), keys);
  }
  const { options } = read({ ...good, sendAt: "2026-11-20T09:30:00+01:00", cancelKey: "k" });
  assert.deepEqual(options, { sendAt: "2026-11-20T08:30:00.000Z", cancelKey: "k" });
});

function write(variables: string, more = "") {
  const body = `{"eventType":"t","payload":{"userId":"u"},"variables":${variables}${more}}`;
  const parsed = JSON.parse(body);
  const { values, json } = readVariables(parsed, body);
  const trigger = readTrigger(parsed, values, []);
  return { text: json, key: automaticKey("a", trigger, true) };
}

test("numbers are stored as they were written", () => {
  assert.equal(write('{"a":10.10,"b":"10.10"}').text, '{"a":10.10,"b":"10.10"}');
  assert.equal(
    write('{ "id" : 1234567890123456789, "l" : [1e3, 1] }').text,
    '{"id":1234567890123456789,"l":[1e3,1]}',
  );
  assert.equal(
    write('{"__proto__":1.0,"constructor":2}').text,
    '{"__proto__":1.0,"constructor":2}',
  );
  assert.equal(write('{"a":1}', ',"surplus":1.0').text, '{"a":1}');
});

test("a body without such numbers is parsed once", (t) => {
  const parse = t.mock.method(JSON, "parse");
  for (const variables of ["{}", '{"a":1,"b":19.99}', '{ "a": [1, 2.5], "b": "1.0" }']) {
    assert.equal(write(variables).text, JSON.stringify(JSON.parse(variables)));
  }
  // The service's call, and the test's own.
  assert.equal(parse.mock.callCount(), 6);
});

test("with variables in the deduplication key, numbers count in their written form", () => {
  assert.equal(write('{"a":1,"b":2}').key, write('{ "b": 2, "a": 1 }').key);
  assert.equal(write('{"a":10.10}').key, write('{ "a": 10.10 }').key);
  assert.notEqual(write('{"a":10.10}').key, write('{"a":10.1}').key);
  assert.notEqual(write('{"a":10.10}').key, write('{"a":{"rawJSON":"10.10"}}').key);
  assert.notEqual(
    write('{"a":1234567890123456789}').key,
    write('{"a":1234567890123456788}').key,
    "these were one event",
  );
});
