import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { test } from "node:test";
import {
  decodeRealtimeMessage,
  encodeRealtimeMessage,
  type RealtimeMessage,
} from "./realtime-message.ts";
import { decodeQueueMessage, encodeQueueMessage, type QueueMessage } from "./streams.ts";

const FOLDER = resolve(import.meta.dirname, "../samples");

interface Samples {
  queue: QueueMessage[];
  /** The text on NATS, and what it means. */
  realtime: { sent: string; means: RealtimeMessage }[];
}

const versions = (await readdir(FOLDER)).map((file) => file.replace(/\.json$/, "")).sort();

for (const version of versions) {
  test(`messages that version ${version} has left on NATS are understood`, async () => {
    const { queue, realtime } = await samplesOf(version);
    for (const message of queue) assert.deepEqual(decodeQueueMessage(bytes(message)), message);
    for (const { sent, means } of realtime) {
      assert.deepEqual(decodeRealtimeMessage(Buffer.from(sent)), means);
    }
  });
}

test("what the next version adds to a message does not make it unreadable to this one", async () => {
  const { queue, realtime } = await samplesOf(versions.at(-1)!);
  for (const message of queue) {
    const items = message.items.map((item) => ({ ...item, more: 1 }));
    const decoded = decodeQueueMessage(bytes({ ...message, items, more: true }));
    assert.deepEqual(
      decoded?.items.map(({ id }) => id),
      message.items.map(({ id }) => id),
    );
  }
  for (const { sent, means } of realtime) {
    const decoded = decodeRealtimeMessage(Buffer.from(sent.replace("{", '{"more":true,')));
    assert.equal(decoded?.userId, means.userId);
  }
});

test("what is written today is among the samples of the newest version", async () => {
  const { queue, realtime } = await samplesOf(versions.at(-1)!);
  for (const message of queue) {
    assert.deepEqual(JSON.parse(encodeQueueMessage(message.items)), message);
  }
  for (const { sent, means } of realtime) assert.equal(encodeRealtimeMessage(means), sent);
});

async function samplesOf(version: string): Promise<Samples> {
  return JSON.parse(await readFile(join(FOLDER, `${version}.json`), "utf8"));
}

function bytes(value: object): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(value));
}
