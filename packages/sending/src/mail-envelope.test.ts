import assert from "node:assert/strict";
import { test } from "node:test";
import { emailAddress } from "@belfry/contracts/addresses";
import type { Envelope } from "@belfry/contracts/envelope";
import { BAD_ADDRESSES } from "@belfry/testing/hostile";
import { mailEnvelope } from "./mail-envelope.ts";

const MAIL = { to: "ann@example.com", variables: {}, settings: {}, hasOwnLink: false };

function made(
  template: Envelope | null,
  event: Envelope | null = null,
  mail: Partial<typeof MAIL> = {},
) {
  return mailEnvelope({ template, event, suppressed: null }, { ...MAIL, ...mail });
}

test("what the event says goes before what its template says, field by field", () => {
  const template = {
    ...{ fromName: "Shop", replyTo: "shop@example.com" },
    ...{ cc: ["c@example.com"], bcc: ["b@example.com"] },
  };
  assert.deepEqual(made(template, { fromName: "Ann", bcc: [] }), {
    fields: { fromName: "Ann", replyTo: "shop@example.com", cc: ["c@example.com"] },
    warnings: [],
  });
  assert.deepEqual(made(null, { replyTo: "x@example.com" }).fields, { replyTo: "x@example.com" });
});

test("a template's name and reply address hold variables; a trigger's are values, never templates", () => {
  const names = { fromName: "{{agent}} of {{shop | upcase}}", replyTo: "{{agent}}@example.com" };
  const variables = { agent: "bob", shop: "acme" };
  assert.deepEqual(made(names, null, { variables }), {
    fields: { fromName: "bob of ACME", replyTo: "bob@example.com" },
    warnings: [],
  });
  assert.equal(made(null, { fromName: "{{agent}}" }, { variables }).fields.fromName, "{{agent}}");
});

test("what a template's variables make of an address is judged: no header field can be added by one", () => {
  const template = { fromName: "{{name}}", replyTo: "{{address}}" };
  for (const address of BAD_ADDRESSES) {
    const { fields, warnings } = made(template, null, { variables: { name: "Ann", address } });
    // Of a line end only a space is left.
    assert.ok(!/[\p{Cc}\u2028\u2029]/u.test(fields.replyTo ?? ""), JSON.stringify(address));
    assert.equal(emailAddress(fields.replyTo ?? "a@x.io"), fields.replyTo ?? "a@x.io");
    if (fields.replyTo === undefined && address.trim() !== "") {
      assert.match(warnings.join(), /^reply address left out/);
    }
  }
  for (const end of ["\r\n", "\n", "\u0085", "\u2028", "\u0000"]) {
    const name = `Ann${end}Bcc: evil@x.io`;
    const { fields } = made(template, null, { variables: { name, address: "a@x.io" } });
    assert.equal(fields.fromName, "Ann Bcc: evil@x.io");
  }
  const long = made(template, null, { variables: { name: "x".repeat(256), address: "" } });
  assert.deepEqual(long, {
    fields: {},
    warnings: ["sender's name left out: it is too long or no name"],
  });
});

test("nobody gets two copies: not the recipient, and none that is named twice in any case of letters", () => {
  const cc = ["Ann@Example.com", "c@example.com", "C@example.com"];
  const { fields } = made(null, { cc, bcc: ["c@EXAMPLE.com", "b@example.com"] });
  assert.deepEqual(fields, { cc: ["c@example.com"], bcc: ["b@example.com"] });
  assert.deepEqual(made(null, { cc: ["ANN@example.com"] }), { fields: {}, warnings: [] });
});

test("a mail with its recipient's own link has no copies, and says so", () => {
  const envelope = { fromName: "Shop", cc: ["c@example.com"], bcc: ["b@example.com"] };
  for (const [template, event] of [
    [envelope, null],
    [null, envelope],
  ] as const) {
    assert.deepEqual(made(template, event, { hasOwnLink: true }), {
      fields: { fromName: "Shop" },
      warnings: [
        "cc left out: the mail has its recipient's link to unsubscribe",
        "bcc left out: the mail has its recipient's link to unsubscribe",
      ],
    });
  }
});

test("suppressed addresses are left out, and counted", () => {
  const event = { cc: ["C@example.com", "d@example.com"], bcc: ["b@example.com"] };
  const suppressed = { "c@example.com": "bounced", "b@example.com": "complained" } as const;
  assert.deepEqual(mailEnvelope({ template: null, event, suppressed }, MAIL), {
    fields: { cc: ["d@example.com"] },
    warnings: ["cc: 1 left out, as suppressed", "bcc: 1 left out, as suppressed"],
  });
});
