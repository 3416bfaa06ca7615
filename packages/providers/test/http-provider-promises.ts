import assert from "node:assert/strict";
import { once } from "node:events";
import test from "node:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { OutcomeClass, SendOutcome } from "@belfry/contracts/sending";
import { assertHas } from "@belfry/testing/assert-has";
import { createHandClock } from "@belfry/testing/hand-clock";
import type { Provider, ProviderDeps, ProviderKind } from "../src/provider.ts";
import { closedPort, startPort, startVendor } from "./loopback-vendor.ts";
import { NOW_MS, testDeps } from "./messages.ts";

interface HttpProviderUnderTest<Message> {
  kind: ProviderKind<Message>;
  settings: Record<string, unknown>;
  /** The setting that holds the vendor's address. Default: baseUrl. */
  addressSetting?: string;
  /** Returns the value of this setting for the vendor's address. Default: the address. */
  settingOf?(address: string): string;
  /** The statuses that mean something else at this vendor. */
  statuses?: Readonly<Record<number, OutcomeClass>>;
  /** The outcome of an address that leads elsewhere. Default: credentials. */
  wrongAddress?: OutcomeClass;
  message: Message;
  /** Values of the settings that nobody else may ever see. */
  secrets: string[];
  accept: { status: number; headers: Record<string, string>; body: string };
}

const TIMEOUT_MS = 10_000;

/** Tests what every HTTP provider promises: one suite that each provider's test runs. */
export function testHttpPromises<Message>(subject: HttpProviderUnderTest<Message>): void {
  const { kind, addressSetting = "baseUrl", message, secrets, accept, statuses = {} } = subject;
  const { settingOf = (address: string) => address, wrongAddress = "credentials" } = subject;
  const settingsAt = (address: string) => {
    return { ...subject.settings, [addressSetting]: settingOf(address) };
  };
  const name = kind.title;

  async function withProvider<Result>(
    baseUrl: string,
    use: (provider: Provider<Message>) => Promise<Result>,
    changes: Partial<ProviderDeps> = {},
  ): Promise<Result> {
    const provider = kind.create(settingsAt(baseUrl), testDeps(changes));
    try {
      return await use(provider);
    } finally {
      await provider.close();
    }
  }
  const sendTo = (baseUrl: string, changes?: Partial<ProviderDeps>): Promise<SendOutcome> =>
    withProvider(baseUrl, (provider) => provider.send(message), changes);

  const byStatus: readonly (readonly [number, OutcomeClass])[] = [
    [200, "ambiguous"],
    [204, "ambiguous"],
    [404, "permanent"],
    [418, "permanent"],
    [408, "transient"],
    [500, "transient"],
    [502, "transient"],
    [503, "transient"],
    [504, "transient"],
    [599, "transient"],
    [429, "throttled"],
    [401, "credentials"],
    [403, "credentials"],
  ];
  for (const [status, usual] of byStatus) {
    const expected = statuses[status] ?? usual;
    test(`${name}: an empty ${status} is ${expected}`, async (t) => {
      const vendor = await startVendor(t, (response) => response.writeHead(status).end());
      const outcome = await sendTo(vendor.url);
      assertHas(outcome, { class: expected, vendorStatus: String(status), messageId: null });
      assert.equal(vendor.received.length, 1, "no second call");
    });
  }

  const waits: readonly (readonly [string, Record<string, string>, number | null])[] = [
    ["seconds", { "retry-after": "17" }, 17],
    ["a date", { "retry-after": new Date(NOW_MS + 90_000).toUTCString() }, 90],
    ["a past date", { "retry-after": new Date(NOW_MS - 90_000).toUTCString() }, 0],
    ["the vendor's reset", { "x-ratelimit-reset": String(NOW_MS / 1000 + 42) }, 42],
    ["the seconds until it", { "x-ratelimit-reset": "20" }, 20],
    ["more than a day", { "retry-after": "99999999" }, 86_400],
    ["nonsense", { "retry-after": "soon", "x-ratelimit-reset": "-1" }, null],
    ["nothing", {}, null],
  ];
  for (const [form, headers, expected] of waits) {
    test(`${name}: a 429 that says ${form} is waited for as told`, async (t) => {
      const vendor = await startVendor(t, (response) => response.writeHead(429, headers).end("{}"));
      const outcome = await sendTo(vendor.url);
      const tooFast = statuses[429] ?? "throttled";
      assertHas(outcome, { class: tooFast, retryAfterSeconds: expected });
    });
  }

  for (const status of [301, 302, 303, 307, 308]) {
    test(`${name}: a redirect by ${status} is not followed, nothing reaches its target`, async (t) => {
      const target = await startVendor(t, (response) => response.writeHead(202).end());
      const vendor = await startVendor(t, (response) =>
        response.writeHead(status, { location: `${target.url}/elsewhere` }).end(),
      );
      const outcome = await sendTo(vendor.url);
      assert.equal(outcome.class, wrongAddress);
      assert.equal(vendor.received.length, 1);
      assert.equal(target.connections(), 0);
    });
  }

  test(`${name}: an answer that never comes is ambiguous after the timeout`, async (t) => {
    const clock = createHandClock();
    const arrived = Promise.withResolvers<void>();
    const vendor = await startVendor(t, () => arrived.resolve());
    let isOver = false;
    const sent = sendTo(vendor.url, { timeoutMs: TIMEOUT_MS, clock }).finally(() => {
      isOver = true;
    });
    await arrived.promise;
    clock.advance(TIMEOUT_MS - 1);
    await nextTurn();
    assert.equal(isOver, false);
    clock.advance(1);
    assert.equal((await sent).class, "ambiguous");
    assert.equal(vendor.received.length, 1);
  });

  test(`${name}: an answer that came while our own loop stood still is read before anything is judged`, async (t) => {
    const clock = createHandClock();
    const vendor = await startVendor(t, (response) =>
      setImmediate(() => {
        // It is in the socket, unread, when the timer comes.
        response.writeHead(accept.status, accept.headers).end(accept.body);
        clock.advance(TIMEOUT_MS);
      }),
    );
    const outcome = await sendTo(vendor.url, { timeoutMs: TIMEOUT_MS, clock });
    assert.equal(outcome.class, "accepted");
    assert.equal(vendor.received.length, 1);
  });

  test(`${name}: a server that drips its answer is held to the same timeout`, async (t) => {
    const clock = createHandClock();
    const vendor = await startVendor(t, (response) => {
      response.writeHead(500);
      const drip = () => {
        if (response.closed || clock.nowMs() > 2 * TIMEOUT_MS) return;
        response.write("x");
        clock.advance(TIMEOUT_MS / 100);
        setImmediate(drip);
      };
      drip();
    });
    const outcome = await sendTo(vendor.url, { timeoutMs: TIMEOUT_MS, clock });
    assert.equal(outcome.class, "transient", "the status had come");
    assert.ok(clock.nowMs() < 2 * TIMEOUT_MS);
  });

  test(`${name}: a connection cut after the request left is ambiguous`, async (t) => {
    const vendor = await startVendor(t, (response) => response.socket?.resetAndDestroy());
    const outcome = await sendTo(vendor.url);
    assert.equal(outcome.class, "ambiguous");
    assert.equal(vendor.received.length, 1, "not sent again");
  });

  test(`${name}: a refused connection is transient`, async () => {
    const outcome = await sendTo(`http://127.0.0.1:${await closedPort()}`);
    assert.equal(outcome.class, "transient");
    assert.match(outcome.reason, /ECONNREFUSED/);
  });

  test(`${name}: a connection cut before the request left is transient`, async (t) => {
    // Over TLS no byte of the request can leave before the handshake ends.
    const port = await startPort(t, (socket) =>
      socket.once("data", () => socket.resetAndDestroy()),
    );
    const outcome = await sendTo(`https://127.0.0.1:${port}`);
    assert.equal(outcome.class, "transient");
  });

  test(`${name}: a handshake that never ends is transient after the timeout`, async (t) => {
    const port = await startPort(t, () => {});
    const outcome = await sendTo(`https://127.0.0.1:${port}`, { timeoutMs: 200 });
    assert.equal(outcome.class, "transient");
  });

  test(`${name}: a name that does not resolve is transient`, async () => {
    const resolve = async () => {
      throw Object.assign(new Error("getaddrinfo ENOTFOUND"), { code: "ENOTFOUND" });
    };
    const outcome = await sendTo("https://vendor.example", {
      resolve,
      allowPrivateAddresses: false,
    });
    assert.equal(outcome.class, "transient");
    assert.match(outcome.reason, /ENOTFOUND/);
  });

  test(`${name}: a public name that turns out to be private gets no connection`, async (t) => {
    const port = await startPort(t, () => assert.fail("connected"));
    const resolve = async () => [
      { address: "127.0.0.1", family: 4 },
      { address: "::1", family: 6 },
      { address: "::ffff:127.0.0.1", family: 6 },
    ];
    const outcome = await sendTo(`https://vendor.example:${port}`, {
      resolve,
      allowPrivateAddresses: false,
    });
    assert.equal(outcome.class, wrongAddress);
    assert.match(outcome.reason, /no public address/);
  });

  test(`${name}: the vendor's answer is kept without the credentials it echoes`, async (t) => {
    const vendor = await startVendor(t, (response, call) =>
      response
        .writeHead(400)
        .end(`${call.headers.authorization ?? ""} ${secrets.join(" ")} no\u0000 good`),
    );
    const { vendorAnswer } = await sendTo(vendor.url);
    assert.match(vendorAnswer!, /no good$/);
    for (const secret of secrets) assert.ok(!vendorAnswer!.includes(secret));
    const { authorization = "" } = vendor.received[0]!.headers;
    const [, credential] = /^(?:Basic|Bearer) (\S+)$/.exec(authorization) ?? [];
    assert.ok(credential === undefined || !vendorAnswer!.includes(credential));
  });

  test(`${name}: of a long answer one KB is kept, of an endless one no more is read`, async (t) => {
    const vendor = await startVendor(t, (response) => {
      response.writeHead(400);
      const more = () => {
        while (response.write("€".repeat(5000))) {}
      };
      response.on("drain", more);
      more();
    });
    const outcome = await sendTo(vendor.url);
    assert.equal(outcome.class, "permanent");
    const bytes = Buffer.byteLength(outcome.vendorAnswer!);
    assert.ok(bytes > 1000 && bytes <= 1024, `${bytes} bytes`);
    assert.match(outcome.vendorAnswer!, /^€+$/);
  });

  test(`${name}: 200 messages at once share at most 32 connections, later ones use them again`, async (t) => {
    const vendor = await startVendor(t, (response) =>
      response.writeHead(accept.status, accept.headers).end(accept.body),
    );
    const send = async (provider: Provider<Message>) => {
      const outcomes = await Promise.all(Array.from({ length: 200 }, () => provider.send(message)));
      assert.ok(outcomes.every((outcome) => outcome.class === "accepted"));
      const opened = vendor.connections();
      assert.ok(opened <= 32, `${opened} connections`);
      await provider.send(message);
      assert.equal(vendor.connections(), opened);
    };
    // However long the machine takes, nobody gives up waiting.
    await withProvider(vendor.url, send, { turnWaitMs: 3_600_000 });
  });

  test(`${name}: a message for which no connection comes free is no attempt: nothing of it was sent`, async (t) => {
    const answers: (() => void)[] = [];
    const everyConnectionIsBusy = Promise.withResolvers<void>();
    const vendor = await startVendor(t, (response) => {
      answers.push(() => response.writeHead(accept.status, accept.headers).end(accept.body));
      if (answers.length === 32) everyConnectionIsBusy.resolve();
    });
    await withProvider(
      vendor.url,
      async (provider) => {
        const sent = Array.from({ length: 32 }, () => provider.send(message));
        await everyConnectionIsBusy.promise;
        const late = await provider.send(message);
        assert.deepEqual([late.class, late.notBegun], ["transient", true]);
        assert.equal(vendor.received.length, 32);
        for (const answer of answers) answer();
        assert.ok((await Promise.all(sent)).every((outcome) => outcome.class === "accepted"));
      },
      { turnWaitMs: 1 },
    );
  });

  test(`${name}: closing lets the call in hand finish`, async (t) => {
    let finish = () => {};
    const arrived = new EventTarget();
    const vendor = await startVendor(t, (response) => {
      finish = () => response.writeHead(accept.status, accept.headers).end(accept.body);
      arrived.dispatchEvent(new Event("call"));
    });
    const provider = kind.create(settingsAt(vendor.url), testDeps());
    const call = once(arrived, "call");
    const sent = provider.send(message);
    await call;
    const closed = provider.close();
    finish();
    assert.equal((await sent).class, "accepted");
    await closed;
    const late = await provider.send(message);
    assert.deepEqual([late.class, late.notBegun], ["transient", true], "no call after closing");
  });

  test(`${name}: settings that do not fit make every outcome one of credentials`, async () => {
    const provider = kind.create(settingsAt("ftp://x"), testDeps());
    const outcome = await provider.send(message);
    assert.equal(outcome.class, "credentials");
    assert.ok(outcome.reason.includes(addressSetting));
    await provider.close();
  });
}
