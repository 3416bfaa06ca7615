import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { test } from "node:test";
import { eventually } from "@belfry/testing/eventually";
import { createTestDatabase } from "@belfry/testing/postgres";
import { startProcess } from "@belfry/testing/processes";
import { wholeFile } from "@belfry/testing/whole-file";
import { jetstreamManager } from "@nats-io/jetstream";
import { outcomeOf, SENT } from "../end-to-end/outcome.ts";
import { startStack, triggered } from "../end-to-end/stack.ts";
import { connectedBrowser } from "../end-to-end/trace.ts";
import { startNatsOfOperator } from "./nats-operator.ts";

const GIB = 1024 ** 3;
const cleanup = wholeFile();
const nats = await startNatsOfOperator(cleanup, {
  belfry: { diskBytes: GIB, streams: 2, consumers: 5 },
  other: { diskBytes: 2 * GIB, streams: 2, consumers: 5 },
  small: { diskBytes: GIB / 4, streams: 2, consumers: 5 },
  narrow: { diskBytes: 2 * GIB, streams: 1, consumers: 5 },
});
/** The least permissions, as we tell operators. */
const permissions = await permissionsOf("../../deploy/docker/nats-account.conf");

const envOf = async (account: string, lacking = (_: string) => false) => ({
  NATS_URL: nats.url,
  NATS_PREFIX: "belfry",
  NATS_TLS_CA_FILE: nats.caFile,
  NATS_TLS_CERT_FILE: nats.client.certFile,
  NATS_TLS_KEY_FILE: nats.client.keyFile,
  NATS_CREDENTIALS_FILE: await nats.credentialsOf(account, {
    publish: permissions.publish.filter((subject) => !lacking(subject)),
    subscribe: permissions.subscribe.filter((subject) => !lacking(subject)),
  }),
});

test("a .creds file with the least permissions is enough for every service, and the account beside sees nothing of it", async (t) => {
  const neighbour = await nats.connect("other");
  const overheard: string[] = [];
  neighbour.subscribe("belfry.>", { callback: (_, { subject }) => void overheard.push(subject) });
  const { url: databaseUrl } = await createTestDatabase(t);
  const env = await envOf("belfry");
  const stack = await startStack(t, { databaseUrl, natsUrl: nats.url, env });
  const tenant = await stack.createReadyTenant();
  await using browser = await connectedBrowser(stack, tenant.apiKey);
  const eventId = await triggered(stack, tenant.apiKey);
  assert.deepEqual(await outcomeOf(stack, eventId), SENT);
  await eventually(() => browser.pushed.length === 1);
  // Calls of upgrades, of a backlog's metrics and of the System page.
  const manager = await jetstreamManager(await nats.connect("belfry", permissions), {
    checkAPI: false,
  });
  for (const stream of ["belfry-events", "belfry-deliveries"]) {
    await manager.streams.update(stream, {});
    assert.equal(await manager.streams.getMessage(stream, { seq: 99 }), null);
    assert.notDeepEqual(await allOf(manager.consumers.list(stream)), []);
  }
  assert.equal((await allOf(manager.streams.list())).length, 2);

  const said = Object.values(stack.processes).flatMap(({ lines }) => lines);
  assert.deepEqual(
    said.filter((line) => line.includes("Permissions Violation")),
    [],
  );
  await neighbour.flush();
  assert.deepEqual(overheard, []);
  assert.deepEqual(await allOf((await jetstreamManager(neighbour)).streams.list()), []);
});

interface Case {
  account: string;
  /** A part of the subjects that are not permitted. */
  lacking?: string;
  env?: Record<string, string>;
  /** Whether the dispatcher ends with an error, because waiting cannot help. Otherwise it waits. */
  ends?: true;
  says: RegExp;
}

/** Faults of an account or user, and what the log of the dispatcher or of the server says about them. */
const CASES: Record<string, Case> = {
  "no client certificate": {
    account: "other",
    env: { NATS_TLS_CERT_FILE: "", NATS_TLS_KEY_FILE: "" },
    says: /client didn't provide a certificate/,
  },
  "no permission to create streams": {
    account: "other",
    lacking: "STREAM.CREATE",
    says: /Permissions Violation for Publish to ..\$JS\.API\.STREAM\.CREATE\.belfry-events/,
  },
  "no permission to create consumers": {
    account: "other",
    lacking: "CONSUMER.CREATE",
    says: /Permissions Violation for Publish to ..\$JS\.API\.CONSUMER\.CREATE\.belfry-events/,
  },
  "no permission to receive answers": {
    account: "other",
    lacking: "_INBOX",
    says: /Permissions Violation for Subscription to .._INBOX/,
  },
  "an account with too little storage": {
    account: "small",
    says: /insufficient storage resources available/,
  },
  "an account with too few streams": {
    account: "narrow",
    ends: true,
    says: /stream belfry-deliveries: the server refuses it: maximum number of streams reached/,
  },
};

for (const [what, { account, lacking, env, ends, says }] of Object.entries(CASES)) {
  test(`${what}: the dispatcher is not ready, and a log says why`, async (t) => {
    const { url } = await createTestDatabase(t);
    const isLacking = (subject: string) => lacking !== undefined && subject.includes(lacking);
    const dispatcher = await startProcess(t, {
      main: new URL("../../services/dispatcher/src/main.ts", import.meta.url),
      env: Object.assign(await envOf(account, isLacking), { DATABASE_URL: url }, env),
      waitUntilReady: false,
    });
    await eventually(() => assert.match([...nats.lines, ...dispatcher.lines].join("\n"), says));
    if (ends) assert.equal((await dispatcher.exited).code, 1);
    else await dispatcher.waitUntilReady(false);
  });
}

async function allOf<T>(list: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const one of list) all.push(one);
  return all;
}

async function permissionsOf(file: string) {
  const text = await readFile(new URL(file, import.meta.url), "utf8");
  const subjects = (name: string) => {
    const [, list = ""] = new RegExp(`${name}: \\[([^\\]]*)\\]`).exec(text) ?? [];
    return Array.from(list.matchAll(/"([^"]+)"/g), ([, subject = ""]) => subject);
  };
  return { publish: subjects("publish"), subscribe: subjects("subscribe") };
}
