import assert from "node:assert/strict";
import { createHmac } from "node:crypto";
import { test } from "node:test";
import { Problem } from "@belfry/contracts/problems";
import { verifySignature } from "./authenticate.ts";

const BODY = Buffer.from('{"eventType":"order"}');
const NOW = new Date("2026-01-01T12:00:00Z");
const NEW = { secret: "new", endsAt: null };
const signedWith = (secret: string) => createHmac("sha256", secret).update(BODY).digest("hex");

function isTaken(secrets: Parameters<typeof verifySignature>[0], signature: unknown): boolean {
  try {
    verifySignature(secrets, BODY, signature, NOW);
    return true;
  } catch (error) {
    assert.ok(error instanceof Problem);
    return false;
  }
}

test("during a rotation the new secret signs and the one before still does, until its end", () => {
  const old = (endsAt: string) => ({ secret: "old", endsAt: new Date(endsAt) });
  const both = [NEW, old("2026-01-01T12:00:01Z")];
  assert.deepEqual(
    [isTaken(both, signedWith("new")), isTaken(both, signedWith("old"))],
    [true, true],
  );
  const ended = [NEW, old("2026-01-01T12:00:00Z")];
  assert.deepEqual(
    [isTaken(ended, signedWith("new")), isTaken(ended, signedWith("old"))],
    [true, false],
  );
  assert.equal(isTaken(both, signedWith("other")), false);
  for (const bad of [undefined, "", signedWith("new").toUpperCase(), ["a"], "x".repeat(64)]) {
    assert.equal(isTaken(both, bad), false);
  }
});
