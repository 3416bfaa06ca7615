import assert from "node:assert/strict";
import { InvalidInput } from "./input-error.ts";

/** For the tests of this package: how an input is refused. */
export async function refusal(work: Promise<unknown>): Promise<InvalidInput> {
  const error = await work.then(
    () => assert.fail("it was not refused"),
    (reason: unknown) => reason,
  );
  assert.ok(error instanceof InvalidInput, String(error));
  return error;
}

export async function refusedWith(work: Promise<unknown>, words: RegExp): Promise<void> {
  assert.match((await refusal(work)).message, words);
}
