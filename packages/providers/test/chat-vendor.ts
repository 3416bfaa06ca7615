import assert from "node:assert/strict";
import test from "node:test";
import type { ChatMessage, OutcomeClass, SendOutcome } from "@belfry/contracts/sending";
import { assertHas } from "@belfry/testing/assert-has";
import type { ProviderKind } from "../src/provider.ts";
import { checkSettings, maskSettings } from "../src/settings.ts";
import { testHttpPromises } from "./http-provider-promises.ts";
import { startVendor } from "./loopback-vendor.ts";
import { EMAIL, testDeps } from "./messages.ts";
import { type GivenAnswer, providerAtVendor } from "./provider-at-vendor.ts";
import type { VendorError } from "./vendor-errors.ts";

const { deliveryId, tenantId, eventId } = EMAIL;

export function chatMessage(to: string): ChatMessage {
  const blocks = [{ kind: "paragraph" as const, runs: [{ text: "Hello & welcome 🎉" }] }];
  return { deliveryId, tenantId, eventId, to, blocks };
}

/** The outcome of a refused credential or rate of one webhook, by the status. */
export const OF_ONE_WEBHOOK: Readonly<Record<number, OutcomeClass>> = {
  401: "permanent",
  403: "permanent",
  429: "deferred",
};

interface NamedVendor {
  kind: ProviderKind<ChatMessage>;
  settings?: Record<string, unknown>;
  to: string;
  accept: { status: number; headers: Record<string, string>; body: string };
  messageId: string | null;
  path: string;
  statuses?: Readonly<Record<number, OutcomeClass>>;
  errors: readonly VendorError[];
}

/** Tests a kind of provider that posts to the URL of a name: one suite that each vendor's test runs. */
export function testNamedVendor(vendor: NamedVendor): void {
  const { kind, settings = {}, to, accept, statuses = OF_ONE_WEBHOOK } = vendor;
  const title = `${kind.title} (${kind.kind})`;
  const message = chatMessage(to);
  const settingOf = (address: string) => `\n ops = ${address}/hooks/T0/secret-0123456789\n`;
  const named = { settingOf, addressSetting: "addresses" };
  testHttpPromises({
    ...vendor,
    ...named,
    settings,
    statuses,
    wrongAddress: "deferred",
    message,
    secrets: ["/hooks/T0/secret-0123456789", "secret-0123456789"],
  });

  /** Starts a vendor that answers so, and a provider with the addresses `ops` there and `other`. */
  const start = async (t: test.TestContext, answer: GivenAnswer) => {
    const { vendor: at, provider } = await providerAtVendor(kind, settings, "unused")(t, answer);
    await provider.close();
    const there = { ...settings, addresses: `${settingOf(at.url)}other=${at.url}/other` };
    const own = kind.create(there, testDeps());
    t.after(() => own.close());
    return { at, provider: own };
  };

  test(`${title}: a message goes to the URL of its name, with the id that the vendor gives it`, async (t) => {
    const { at, provider } = await start(t, accept);
    const sent = await provider.send(message);
    assertHas(sent, { class: "accepted", messageId: vendor.messageId });
    assertHas(at.received[0], { method: "POST", path: vendor.path });
    assert.ok(JSON.parse(at.received[0]!.body));
    await provider.send({ ...message, to: to.replace("ops", "other") });
    assert.match(at.received[1]!.path, /^\/other/);
  });

  test(`${title}: a name that the provider lacks is another provider's, and costs no call`, async (t) => {
    const { at, provider } = await start(t, accept);
    const other = await provider.send({ ...message, to: to.replace("ops", "no-such") });
    assert.equal(other.class, "policy");
    assert.match(other.reason, /no address no-such$/);
    const bad = ["ops", `${kind.kind}:`, `${kind.kind}:../x`, `${kind.kind}:constructor`];
    for (const one of bad)
      assert.notEqual((await provider.send({ ...message, to: one })).class, "accepted");
    assert.equal(at.connections(), 0);
  });

  for (const status of [404, 410]) {
    test(`${title}: a webhook that is gone (${status}) ends the message and names its name`, async (t) => {
      const { provider } = await start(t, { status });
      const sent = await provider.send(message);
      assertHas(sent, {
        class: "permanent",
        reason: "the webhook of the address ops no longer exists",
        // Any HTTP API may answer so for one message.
        suppress: kind.kind === "chat-http" ? undefined : "bounced",
      });
    });
  }

  for (const [what, answer, expected] of vendor.errors) {
    test(`${title}: ${answer.status} ${what} is ${expected.class}`, async (t) => {
      const { at, provider } = await start(t, answer);
      const sent: SendOutcome = await provider.send(message);
      assertHas(sent, { retryAfterSeconds: null, ofOneMessage: undefined, ...expected });
      assert.ok(!sent.reason.includes(at.url));
      assert.equal(at.received.length, 1, "no second call");
    });
  }

  test(`${title}: the work for a refusal does not grow with the number of addresses`, async (t) => {
    const at = await startVendor(t, (response) => response.writeHead(400).end("x".repeat(65_536)));
    const masksWith = async (count: number) => {
      const others = Array.from({ length: count }, (_, index) => `n${index}=${at.url}/${index}/x`);
      const addresses = [`ops=${at.url}/ops`, ...others].join("\n");
      const provider = kind.create({ ...settings, addresses }, testDeps());
      const replaced = t.mock.method(String.prototype, "replaceAll");
      assert.equal((await provider.send(message)).class, "permanent");
      replaced.mock.restore();
      await provider.close();
      return replaced.mock.callCount();
    };
    assert.equal(await masksWith(1000), await masksWith(1));
  });

  test(`${title}: of the addresses the names are shown, and nothing else`, () => {
    const addresses = "ops=https://a.example/x\n b_1 = https://b.example/?t=secret\r\n";
    assert.equal(maskSettings(kind, { ...settings, addresses }).addresses, "ops, b_1");
  });

  test(`${title}: each line of the addresses is checked, and no fault quotes a URL`, async (t) => {
    const { url } = await startVendor(t, () => {});
    const check = (addresses: string) => checkSettings(kind, { ...settings, addresses });
    assert.deepEqual(
      check("a=https://vendor.example/x\r\n\r\nB-_9 = https://vendor.example/y\r\n"),
      [],
    );
    assert.deepEqual(
      check(
        `a=${url}/x\nno line\na b=https://vendor.example\nA=https://vendor.example\nb=https://10.0.0.1/x\n`,
      ),
      [
        "addresses: line 1: must begin with https://",
        "addresses: line 2: must be NAME=VALUE: a name of 1 to 64 letters, digits, _ and -, and a URL or key",
        "addresses: line 3: must be NAME=VALUE: a name of 1 to 64 letters, digits, _ and -, and a URL or key",
        "addresses: line 4: has a name twice",
        "addresses: line 5: must be a public address",
      ],
    );
    for (const none of ["", "\n"]) assert.deepEqual(check(none), ["addresses: has no line"]);
    assert.deepEqual(check("a".repeat(65_537)), ["addresses: must have at most 65536 characters"]);
  });
}
