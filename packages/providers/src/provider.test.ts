import assert from "node:assert/strict";
import test from "node:test";
import type { SmsMessage } from "@belfry/contracts/sending";
import { Type } from "@sinclair/typebox";
import { SMS, testDeps } from "../test/messages.ts";
import { defineProvider } from "./provider.ts";
import { outcome } from "./send-outcome.ts";

test("a library that cannot be loaded costs no attempt, and is loaded again for the next message", async () => {
  let loads = 0;
  const kind = defineProvider<SmsMessage, ReturnType<typeof Type.Object>>({
    kind: "late",
    content: "text",
    title: "Late",
    settings: Type.Object({}),
    async create() {
      loads += 1;
      if (loads === 1) throw new Error("EMFILE");
      return { send: async () => outcome("accepted", "there"), close: async () => {} };
    },
  });
  const provider = kind.create({}, testDeps());
  const missed = await provider.send(SMS);
  assert.deepEqual(
    [missed.class, missed.notBegun, missed.reason],
    ["transient", true, "the vendor's library could not be loaded"],
  );
  assert.equal((await provider.send(SMS)).class, "accepted");
  assert.equal((await provider.send(SMS)).class, "accepted");
  assert.equal(loads, 2);
  await provider.close();
});
