import assert from "node:assert/strict";
import { test } from "node:test";
import {
  CHANNELS,
  type Channel,
  channelMask,
  PROVIDER_CHANNELS,
  USUAL_CHANNELS,
} from "@belfry/contracts/channels";
import { storedReason } from "@belfry/contracts/reasons";
import type { StoredEvent } from "@belfry/database/functions/dispatch-events";
import { compileTemplate } from "@belfry/templates/compile";
import { createRenderer } from "@belfry/templates/render";
import type { TemplateSource } from "@belfry/templates/source";
import { outcomeInWords } from "../test/dispatcher-under-test.ts";
import { routeEvent } from "./route-event.ts";
import type { ActiveTemplate, ActiveVariant, RoutingTenant } from "./routing-cache.ts";
import { NO_PREFERENCES } from "./user-preferences.ts";

const EVENT: StoredEvent = {
  id: "0193a000-0000-7000-8000-000000000001",
  tenantId: "acme",
  eventType: "order.confirmed",
  userId: "u1",
  recipientEmail: "a@example.com",
  recipientPhone: "+12025550123",
  channels: null,
  locale: null,
  variables: '{"title":"Order","name":"Ada"}',
  traceId: "t",
  traceParent: null,
  acceptedAt: new Date("2026-01-01T00:00:00Z"),
  acceptedAtText: "2026-01-01 00:00:00+00",
  sendAt: null,
  released: null,
  isBroadcast: false,
  dispatched: false,
  refused: false,
  mayHavePreferences: false,
  tells: false,
};
const TENANT: RoutingTenant = {
  id: "acme",
  active: true,
  deliveryChannels: [],
  providerChannels: [...PROVIDER_CHANNELS],
  providerKinds: PROVIDER_CHANNELS.map((channel) => `${channel} sandbox`),
  usesDevices: true,
  defaultLocale: "en",
  timeZone: null,
  mostRestSeconds: 22 * 24 * 60 * 60,
};

function templates(
  channels: readonly Channel[],
  more: Partial<ActiveTemplate> & { body?: string } = {},
): Map<Channel, ActiveTemplate> {
  const { body = "Hello {{name}}", ...rest } = more;
  const render = createRenderer({
    kind: "notification",
    title: "{{title}}",
    body,
    variables: [],
  });
  const variant = (channel: Channel): ActiveVariant => ({
    ...{ locale: "", versionId: "7", bytes: 1, render: channel === "PUSH" ? render : undefined },
  });
  return new Map(
    channels.map((channel) => [
      channel,
      {
        targetChannel: null,
        sensitive: false,
        sensitiveUntil: null,
        expiresAfterSeconds: null,
        required: null,
        digest: null,
        throttle: null,
        afterUnreadSeconds: null,
        readsUser: false,
        variants: new Map([["", variant(channel)]]),
        ...rest,
      },
    ]),
  );
}
const ALL = templates(CHANNELS);

const each = (reason: string, channels: readonly Channel[] = CHANNELS) =>
  Object.fromEntries(channels.map((channel) => [channel, reason]));

function route(
  event: Partial<StoredEvent> = {},
  tenant: Partial<RoutingTenant> = {},
  active = ALL,
) {
  const preferences = { ...NO_PREFERENCES, hasDevice: true, chat: "slack:C1" };
  const dispatch = routeEvent(
    { ...EVENT, ...event },
    { ...TENANT, ...tenant },
    active,
    preferences,
  );
  return {
    dispatch,
    sent: [
      ...dispatch.deliveries.map(({ channel }) => channel),
      ...(dispatch.push ? ["PUSH"] : []),
    ],
    skipped: outcomeInWords(dispatch.outcome ?? {}).skipped ?? {},
  };
}

const ROUTES: {
  what: string;
  event?: Partial<StoredEvent>;
  tenant?: Partial<RoutingTenant>;
  active?: Channel[];
  sent: Channel[];
  skipped: Partial<Record<Channel, string>>;
}[] = [
  {
    what: "the filter never widens the whitelist",
    tenant: { deliveryChannels: ["EMAIL"] },
    event: { channels: channelMask(["SMS"]) },
    sent: [],
    skipped: { ...each("channel not allowed"), EMAIL: "not requested" },
  },
  {
    what: "a channel without an active template is skipped, whatever else holds",
    active: ["PUSH"],
    event: { channels: channelMask(["EMAIL"]), recipientPhone: null },
    sent: [],
    skipped: { EMAIL: "no active template", SMS: "no active template", PUSH: "not requested" },
  },
  {
    what: "an event says nothing of devices without a template for them, unless it asks for them",
    active: ["PUSH"],
    event: { channels: channelMask(["DEVICE"]) },
    sent: [],
    skipped: {
      ...each("no active template", [...USUAL_CHANNELS, "DEVICE"]),
      PUSH: "not requested",
    },
  },
  {
    what: "an inactive tenant gets nothing, and that is the reason shown",
    tenant: { active: false, deliveryChannels: ["EMAIL"] },
    sent: [],
    skipped: each("tenant inactive"),
  },
];
for (const row of ROUTES) {
  test(row.what, () => {
    const active = row.active === undefined ? ALL : templates(row.active);
    const { sent, skipped } = route(row.event, row.tenant, active);
    assert.deepEqual(sent, row.sent);
    assert.deepEqual(skipped, row.skipped);
  });
}

test("a notification of a scheduled event has the time when it became due", () => {
  const released = { at: new Date("2026-01-09T00:00:00Z"), text: "2026-01-09 00:00:00+00" };
  const active = templates(["PUSH"], { body: "{{$items.0.$at}}" });
  assert.equal(route({ released }, {}, active).dispatch.push?.body, "2026-01-09T00:00:00.000Z");
  assert.equal(route({}, {}, active).dispatch.push?.body, "2026-01-01T00:00:00.000Z");
});

test("a deleted tenant counts as inactive", () => {
  const { outcome } = routeEvent(EVENT, undefined, ALL);
  assert.equal(outcome?.skipped?.EMAIL, storedReason("tenant-inactive"));
});

test("a push that renders too large fails only on its channel", () => {
  const { dispatch, sent } = route({
    variables: JSON.stringify({ title: "t", name: "x".repeat(5000) }),
  });
  assert.deepEqual(sent, PROVIDER_CHANNELS);
  assert.deepEqual(dispatch.outcome, { failed: { PUSH: storedReason("content-too-large") } });
});

test("a push without a word is neither published nor stored, and the event says so", () => {
  const active = templates(["PUSH"], { body: "{{name}}: {{city}}" });
  const { dispatch } = route({ variables: '{"title":"\u200b","name":" "}' }, {}, active);
  assert.equal(dispatch.push, null);
  assert.deepEqual(dispatch.outcome, {
    ...{ skipped: dispatch.outcome?.skipped, missing: { PUSH: ["city"] } },
    failed: { PUSH: storedReason("nothing-to-say") },
  });
  assert.notEqual(route({ variables: '{"title":"👍"}' }).dispatch.push, null);
});

test("if a filter of a push cannot format a value, the event says so", async () => {
  const compiled = await compileTemplate(
    { kind: "notification", title: "Paid", content: "{{ name | date }}" },
    { owner: "acme" },
  );
  assert.ok(compiled.ok);
  const active = templates(["PUSH"]);
  const variant = active.get("PUSH")?.variants.get("");
  assert.ok(variant);
  variant.render = createRenderer(compiled.compiled);
  const { dispatch } = route({ channels: channelMask(["PUSH"]) }, {}, active);
  assert.equal(dispatch.push?.body, "Ada");
  assert.deepEqual(dispatch.outcome?.warnings, {
    PUSH: ["cannot read name as a date: inserted unchanged"],
  });
});

test("a template's lifetime counts from acceptance, and its target channel is used", () => {
  const active = templates(["EMAIL", "PUSH"], {
    expiresAfterSeconds: 300,
    targetChannel: "orders",
  });
  const { dispatch } = route({}, {}, active);
  assert.equal(dispatch.deliveries[0]?.expiresAt?.toISOString(), "2026-01-01T00:05:00.000Z");
  assert.equal(dispatch.push?.channelName, "orders");
});

test("variables of a sensitive template are erased as soon as no delivery needs them", () => {
  const sensitive = templates(["EMAIL", "PUSH"], { sensitive: true });
  assert.equal(route({}, {}, sensitive).dispatch.eraseVariables, false);
  assert.equal(route({ recipientEmail: null }, {}, sensitive).dispatch.eraseVariables, true);
  assert.equal(route({ recipientEmail: null }).dispatch.eraseVariables, false);
});

test("an event that is sensitive on any channel is marked as sensitive, and no other", () => {
  const mixed = new Map([
    ...templates(["EMAIL"]),
    ...templates(["SMS", "PUSH"], { sensitive: true }),
  ]);
  assert.equal(route({}, {}, mixed).dispatch.isSensitive, true);
  assert.equal(route({}, {}, ALL).dispatch.isSensitive, false);
  const all = templates(CHANNELS, { sensitive: true });
  assert.equal(route({}, {}, all).dispatch.isSensitive, true);
});

const LOCALES: [event: string | null, variants: string[], taken: string][] = [
  [null, ["", "de", "en"], ""],
  ["de", ["", "de", "en"], "de"],
  ["de-AT", ["", "de", "en"], "de"],
  ["de-AT", ["", "de", "de-AT", "de-CH"], "de-AT"],
  // A wider language uses no narrower one.
  ["de", ["", "de-AT"], ""],
  ["fr", ["", "de"], ""],
  ["fr-CA", [""], ""],
  ["zh-Hant-TW", ["", "zh", "zh-Hant"], "zh-Hant"],
  ["zh-Hant-TW", ["", "zh", "zh-Hant", "zh-Hant-TW"], "zh-Hant-TW"],
  ["zh-Hant-TW", ["", "zh", "zh-TW", "zh-Hans"], "zh"],
  ["zh-TW", ["", "zh-Hant"], "zh-Hant"],
  ["es-419", ["", "es", "es-MX"], "es"],
  ["xx-Qaaa-ZZ", ["", "de"], ""],
];
for (const [locale, variants, taken] of LOCALES) {
  test(`an event in ${locale} uses ${taken || "the default"} of ${variants.join(" ")}`, () => {
    const ofLocale = (one: string): ActiveVariant => ({
      ...{ locale: one, versionId: `v-${one}`, bytes: 1 },
      render: () => ({ ok: true, kind: "notification", title: "t", body: one, missing: [] }),
    });
    const active = templates(["EMAIL", "PUSH"], {
      variants: new Map(variants.map((one) => [one, ofLocale(one)])),
    });
    const { dispatch } = route({ locale }, {}, active);
    assert.equal(dispatch.deliveries[0]?.templateVersionId, `v-${taken}`);
    assert.equal(dispatch.push?.body, taken);
  });
}

test("the default text is in its tenant's language: no variant of another country precedes it", () => {
  const variant = (locale: string): [string, ActiveVariant] => [
    locale,
    { locale, versionId: `v-${locale}`, bytes: 1, render: undefined },
  ];
  for (const [defaultLocale, other, locale, taken] of [
    ["pt-PT", "pt-BR", "pt-PT", ""],
    ["en-GB", "en-US", "en-GB", ""],
    ["de-AT", "de-DE", "de-AT", ""],
    ["es-419", "es-ES", "es-MX", ""],
    ["zh", "zh-Hant", "zh-TW", "zh-Hant"],
    ["en-US", "en-Latn-US", "en-GB", "en-Latn-US"],
  ] as const) {
    const variants = new Map([variant(""), variant(other)]);
    const { dispatch } = route({ locale }, { defaultLocale }, templates(["EMAIL"], { variants }));
    assert.equal(dispatch.deliveries[0]?.templateVersionId, `v-${taken}`, `${locale} of ${other}`);
  }
});

test("an event skips a channel whose template has neither its language nor a default", () => {
  const variants = new Map([["de", { locale: "de", versionId: "1", bytes: 1, render: undefined }]]);
  const { sent, skipped } = route({ locale: "fr" }, {}, templates(["EMAIL"], { variants }));
  assert.deepEqual([sent, skipped.EMAIL], [[], "no active template"]);
});

async function pushOf(
  source: Partial<Extract<TemplateSource, { kind: "notification" }>>,
  locale?: string,
) {
  const made = await compileTemplate(
    { kind: "notification", title: "t", content: "b", ...source },
    { owner: "acme", locale },
  );
  assert.ok(made.ok, JSON.stringify(made));
  const render = createRenderer(made.compiled);
  return { locale: locale ?? "", versionId: "1", bytes: 1, render };
}

test("dates of a push are in the tenant's zone, in the template's language or else the tenant's", async () => {
  const source = { content: '{{at | date: "long", "short"}} {{n | number}}' };
  const variants = new Map([
    ["", await pushOf(source)],
    ["de", await pushOf(source, "de")],
  ]);
  const event = { variables: '{"at":"2026-03-01T23:30:00Z","n":1234.5}' };
  const body = (locale: string | null, tenant: Partial<RoutingTenant>) =>
    route(
      { ...event, locale },
      tenant,
      templates(["PUSH"], { variants }),
      // ICU decides which kind of blank it uses.
    ).dispatch.push?.body.replace(/\s/g, " ");
  const vienna = { timeZone: "Europe/Vienna" };
  assert.equal(body(null, {}), "March 1, 2026 at 11:30 PM 1,234.5");
  assert.equal(body(null, vienna), "March 2, 2026 at 12:30 AM 1,234.5");
  assert.equal(body("de-AT", vienna), "2. März 2026 um 00:30 1.234,5");
  assert.equal(body(null, { ...vienna, defaultLocale: "fr" }), "2 mars 2026 à 00:30 1 234,5");
  const kathmandu = { defaultLocale: "fr", timeZone: "Asia/Kathmandu" };
  assert.equal(body("de", kathmandu), "2. März 2026 um 05:15 1.234,5");
});

test("if a required variable is missing, nothing is published, and the event names the variable", () => {
  const active = templates(CHANNELS, { required: ["title", "order.id"] });
  for (const [variables, lacking] of [
    ["{}", "title"],
    ['{"title":" \\n","order":{"id":1}}', "title"],
    ['{"title":"t","order":{}}', "order.id"],
    ['{"title":"t","order":{"id":null}}', "order.id"],
  ] as const) {
    const { dispatch, sent } = route({ variables }, {}, active);
    assert.equal(dispatch.push, null);
    assert.deepEqual(dispatch.outcome, {
      failed: { PUSH: storedReason("variable-missing", { name: lacking }) },
    });
    assert.deepEqual(sent, PROVIDER_CHANNELS, "of the others the sender decides");
  }
  const { dispatch } = route({ variables: '{"title":"t","order.id":0}' }, {}, active);
  assert.equal(dispatch.push?.title, "t");
});

test("a push keeps its valid links; the event lists the others, without any value", async () => {
  const actions = [{ label: "Track {{name}}", url: "{{track}}" }];
  const variants = new Map([["", await pushOf({ url: "/orders/{{name}}", actions })]]);
  const active = templates(["PUSH"], { variants });
  const good = route({ variables: '{"name":"A 1","track":"https://t.example/"}' }, {}, active);
  assert.equal(good.dispatch.push?.url, "/orders/A%201");
  assert.equal(good.dispatch.push?.actions, '[{"label":"Track A 1","url":"https://t.example/"}]');
  assert.equal(good.dispatch.outcome?.linksLeftOut, undefined);
  const bad = route({ variables: '{"name":"x","track":"javascript:secret"}' }, {}, active).dispatch;
  assert.deepEqual([bad.push?.url, bad.push?.actions], ["/orders/x", undefined]);
  const linksLeftOut = { PUSH: ["action 1 (neither https nor a path)"] };
  assert.deepEqual(bad.outcome?.linksLeftOut, linksLeftOut);
});

test("an event that was accepted while its template was sensitive stays sensitive", () => {
  const sensitiveUntil = new Date("2026-06-01T12:00:00Z");
  const isSensitive = (acceptedAt: string) =>
    route({ acceptedAt: new Date(acceptedAt) }, {}, templates(["PUSH"], { sensitiveUntil }))
      .dispatch.isSensitive;
  assert.equal(isSensitive("2026-06-01T11:59:59Z"), true);
  assert.equal(isSensitive("2026-06-01T12:00:01Z"), false);
});
