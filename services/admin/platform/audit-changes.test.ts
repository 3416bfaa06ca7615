import assert from "node:assert/strict";
import { test } from "node:test";
import { auditChanges } from "./audit-pages.ts";

test("of an entry only what differs is told, field by field, what came and what went included", () => {
  const before = {
    name: "Acme",
    perMinute: 600,
    dailyCap: null,
    deliveryChannels: [],
    settings: { from: "a@example.com", apiKey: "•••• cdef", replyTo: "b@example.com" },
  };
  const after = {
    name: "Acme",
    perMinute: 60,
    dailyCap: 10,
    deliveryChannels: ["EMAIL", "PUSH"],
    settings: { from: "c@example.com", apiKey: "•••• cdef" },
  };
  assert.deepEqual(auditChanges(before, after), [
    { field: "perMinute", before: "600", after: "60" },
    { field: "deliveryChannels", before: "none", after: "EMAIL, PUSH" },
    { field: "settings.from", before: "a@example.com", after: "c@example.com" },
    { field: "settings.replyTo", before: "b@example.com", after: undefined },
    { field: "dailyCap", before: undefined, after: "10" },
  ]);
  assert.deepEqual(auditChanges(null, { count: 3 }), [
    { field: "count", before: undefined, after: "3" },
  ]);
  assert.deepEqual(auditChanges(null, null), []);
});
