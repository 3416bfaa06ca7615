import assert from "node:assert/strict";
import { test } from "node:test";
import { CHANNELS, type Channel, channelMask, PROVIDER_CHANNELS } from "@belfry/contracts/channels";
import type { StoredEvent } from "@belfry/database/functions/dispatch-events";
import { createRenderer } from "@belfry/templates/render";
import type { RoutingTenant } from "./read-routing.ts";
import { routeEvent } from "./route-event.ts";
import type { ActiveTemplate } from "./routing-cache.ts";

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
  acceptedAt: new Date("2026-01-01T00:00:00Z"),
  acceptedAtText: "2026-01-01 00:00:00+00",
  dispatched: false,
  refused: false,
};
const TENANT: RoutingTenant = {
  id: "acme",
  active: true,
  deliveryChannels: [],
  providerChannels: [...PROVIDER_CHANNELS],
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
  return new Map(
    channels.map((channel) => [
      channel,
      {
        versionId: "7",
        targetChannel: null,
        sensitive: false,
        expiresAfterSeconds: null,
        bytes: 1,
        render: channel === "PUSH" ? render : undefined,
        ...rest,
      },
    ]),
  );
}
const ALL = templates(CHANNELS);

const each = (reason: string) => Object.fromEntries(CHANNELS.map((channel) => [channel, reason]));

function route(
  event: Partial<StoredEvent> = {},
  tenant: Partial<RoutingTenant> = {},
  active = ALL,
) {
  const dispatch = routeEvent({ ...EVENT, ...event }, { ...TENANT, ...tenant }, active);
  return {
    dispatch,
    sent: [
      ...dispatch.deliveries.map(({ channel }) => channel),
      ...(dispatch.push ? ["PUSH"] : []),
    ],
    skipped: dispatch.outcome?.skipped ?? {},
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
    skipped: { ...each("no active template"), PUSH: "not requested" },
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

test("a deleted tenant is an inactive one", () => {
  const { outcome } = routeEvent(EVENT, undefined, ALL);
  assert.equal(outcome?.skipped?.EMAIL, "tenant inactive");
});

test("a push that renders too large fails on its channel alone", () => {
  const { dispatch, sent } = route({
    variables: JSON.stringify({ title: "t", name: "x".repeat(5000) }),
  });
  assert.deepEqual(sent, PROVIDER_CHANNELS);
  assert.deepEqual(dispatch.outcome, { failed: { PUSH: "rendered content too large" } });
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

test("variables of a sensitive template go as soon as no delivery needs them", () => {
  const sensitive = templates(["EMAIL", "PUSH"], { sensitive: true });
  assert.equal(route({}, {}, sensitive).dispatch.eraseVariables, false);
  assert.equal(route({ recipientEmail: null }, {}, sensitive).dispatch.eraseVariables, true);
  assert.equal(route({ recipientEmail: null }).dispatch.eraseVariables, false);
});

test("an event that is sensitive on any channel is marked, and no other", () => {
  const mixed = new Map([
    ...templates(["EMAIL"]),
    ...templates(["SMS", "PUSH"], { sensitive: true }),
  ]);
  assert.equal(route({}, {}, mixed).dispatch.isSensitive, true);
  assert.equal(route({}, {}, ALL).dispatch.isSensitive, false);
  const all = templates(CHANNELS, { sensitive: true });
  assert.equal(route({}, {}, all).dispatch.isSensitive, true);
});
