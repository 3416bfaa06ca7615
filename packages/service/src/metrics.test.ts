import assert from "node:assert/strict";
import { test } from "node:test";
import { register } from "prom-client";
import { gauge } from "./metrics.ts";

test("a value that cannot be read is missing, and the others are there", async () => {
  let works = true;
  gauge("test_value", "read from somewhere", ["where"], (it) => {
    if (!works) throw new Error("away");
    it.set({ where: "here" }, 3);
  });
  gauge("test_bare", "without labels", [], (it) => {
    if (!works) throw new Error("away");
    it.set(4);
  });
  gauge("test_other", "always there", [], (it) => it.set(1));
  assert.match(await register.metrics(), /test_value\{where="here"\} 3/);
  assert.match(await register.metrics(), /^test_bare 4$/m);
  works = false;
  const text = await register.metrics();
  assert.doesNotMatch(text, /test_value\{/);
  assert.doesNotMatch(text, /^test_bare /m);
  assert.match(text, /test_other 1/);
});
