import assert from "node:assert/strict";
import { test } from "node:test";
import { startAdmin } from "./admin-under-test.ts";

test("the system page shows each service with its version and when it was started", async (t) => {
  const admin = await startAdmin(t);
  const operator = await admin.operator();
  const html = await operator.text("/system");
  assert.match(html, /<strong>admin-test<\/strong> <code>\d+\.\d+\.\d+<\/code>/);
  const started = /started <time datetime="([^"]+)"/.exec(html)?.[1] ?? "";
  const late = Date.parse(started) - performance.timeOrigin;
  assert.ok(late <= 0 && late > -1000, started);
});
