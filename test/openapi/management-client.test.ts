import assert from "node:assert/strict";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { startForTenant } from "@belfry/admin/test/start-admin";
import { createKey } from "@belfry/administration/tenants/tenant-credentials";
import { updateTenant } from "@belfry/administration/tenants/tenants";
import { actsIn } from "@belfry/administration/test/acts";
import { BelfryError, createManagementClient, type Management } from "@belfry/client";
import { missingFor, runExample } from "../client-languages/run-example.ts";

/** The management client of `@belfry/client` against a real admin. */

const ORDER = { "order.confirmed/EMAIL.md": "---\nsubject: Your order\n---\n# Thank you\n" };

async function world(t: test.TestContext) {
  const { admin, id } = await startForTenant(t);
  const { apiKey } = await actsIn(admin.db, id)(createKey, { role: "manage" });
  const options = { baseUrl: admin.url, apiKey, retries: 0 };
  return { admin, id, options, client: createManagementClient(options) };
}

const refused =
  (status: number, ...messages: (string | RegExp)[]) =>
  (error: unknown) => {
    assert.ok(error instanceof BelfryError, String(error));
    assert.equal(error.status, status, error.message);
    for (const [at, words] of messages.entries()) {
      if (words instanceof RegExp) assert.match(error.messages[at] ?? "", words);
      else assert.equal(error.messages[at], words);
    }
    return true;
  };

test("a category is put, listed and deleted; a 404 names the field", async (t) => {
  const { client } = await world(t);
  const label = { "": "Offers", de: "Angebote" };
  const put: Management.Category = await client.call("categoryPut", { key: "offers", label });
  assert.deepEqual([put.key, put.label], ["offers", label]);
  assert.deepEqual(await client.call("categoryList"), [put]);
  assert.deepEqual(await client.call("categoryDelete", { key: "offers" }), put);
  assert.deepEqual(await client.call("categoryList"), []);
  await assert.rejects(
    client.call("categoryDelete", { key: "offers" }),
    refused(404, 'key: the tenant has no category "offers"'),
  );
});

test("a 422 has every fault, whether it is in the path or in the body", async (t) => {
  const { client } = await world(t);
  await assert.rejects(
    client.call("categoryPut", { key: "NO KEY", position: -1 }),
    refused(422, /^key must /, "position must be an integer from 0 to 1000000"),
  );
});

test("a wrong input does not compile", () => {
  const typed = (client: ReturnType<typeof createManagementClient>) => [
    // @ts-expect-error: the key is missing
    client.call("categoryDelete"),
    // @ts-expect-error: a category has no such field
    client.call("categoryPut", { key: "offers", colour: "red" }),
    // @ts-expect-error: it takes no fields
    client.call("categoryList", { key: "offers" }),
    // @ts-expect-error: it has no pages
    client.each("categoryList"),
    client.call("digestList"),
  ];
  assert.equal(typeof typed, "function");
});

test("a list in pages is read to its end, each page when it is needed", async (t) => {
  const { client } = await world(t);
  const addresses = Array.from({ length: 5 }, (_, at) => `user-${at}@example.com`);
  const added = await client.call("suppressionAdd", { channel: "EMAIL", addresses });
  assert.equal(added.added, 5);
  const first = await client.call("suppressionList", { limit: 2 });
  assert.equal(first.items.length, 2);
  assert.ok(first.next);
  const all: string[] = [];
  for await (const one of client.each("suppressionList", { channel: "EMAIL", limit: 2 })) {
    all.push(one.address);
  }
  assert.deepEqual(all.sort(), addresses);
  for await (const { userId } of client.each("userList")) assert.fail(`nobody is ${userId}`);
});

test("a bundle is planned and applied; a plan that does not hold any more is 412", async (t) => {
  const { client } = await world(t);
  const dry = await client.call("bundleApply", { files: ORDER, dryRun: true });
  assert.deepEqual([dry.applied, dry.added], [false, Object.keys(ORDER)]);
  const done = await client.call("bundleApply", { files: ORDER, plan: dry.plan });
  assert.equal(done.applied, true);
  const pulled = await client.call("bundlePull");
  assert.deepEqual(Object.keys(pulled.files), Object.keys(ORDER));
  const files = { "order.confirmed/EMAIL.md": "---\nsubject: Thanks\n---\n# Thank you\n" };
  await assert.rejects(client.call("bundleApply", { files, plan: dry.plan }), refused(412));
});

test("a draft is saved over the revision that was read, and no other", async (t) => {
  const { client } = await world(t);
  const template = { eventType: "order.confirmed", channel: "SMS" } as const;
  const draft = await client.call("templateDraftPut", { ...template, content: "Thank you" });
  const { revision } = draft;
  const next = await client.call("templateDraftPut", { ...template, content: "Thanks", revision });
  assert.notEqual(next.revision, revision);
  await assert.rejects(
    client.call("templateDraftDiscard", { ...template, revision }),
    refused(412),
  );
  await client.call("templateDraftDiscard", { ...template, revision: next.revision });
});

test("a tenant with a webhook secret signs each call, with its path, query and body", async (t) => {
  const { admin, id, client, options } = await world(t);
  const webhookSecret = "a secret of the tenant";
  await updateTenant(admin.db, id, { webhookSecret }, admin.keys);
  await assert.rejects(client.call("categoryList"), refused(401, /X-Service-Timestamp/));
  const signing = createManagementClient({ ...options, webhookSecret });
  assert.deepEqual(await signing.call("categoryList"), []);
  assert.deepEqual(await signing.call("digestList", { limit: 7 }), []);
  await signing.call("categoryPut", { key: "offers", label: { "": "Über uns" } });
  await signing.call("bundleApply", { files: ORDER, dryRun: true });
  await signing.call("categoryDelete", { key: "offers" });
  const path = { userId: "a/b (c)'!*ü", category: "*", channel: "EMAIL" } as const;
  await signing.call("userPreferenceSet", { ...path, enabled: false });
  const wrong = createManagementClient({ ...options, webhookSecret: "another" });
  await assert.rejects(wrong.call("categoryList"), refused(401, /X-Service-Signature/));
});

for (const name of ["management.mjs", "management.py", "management.go"]) {
  test(`management.md: ${name} runs and exits well`, async (t) => {
    const missing = await missingFor(name);
    if (missing !== undefined) return t.skip(missing);
    const { client, options } = await world(t);
    await client.call("suppressionAdd", { channel: "EMAIL", addresses: ["ann@example.com"] });
    const example = fileURLToPath(new URL(`../../examples/${name}`, import.meta.url));
    const { code, out, err } = await runExample(t, example, {
      ...{ BELFRY_MANAGE_URL: options.baseUrl, BELFRY_MANAGE_KEY: options.apiKey },
    });
    assert.equal(code, 0, err);
    assert.match(out, /added: \[ ?'?order\.confirmed\/EMAIL\.md'? ?\]/);
    assert.match(out, /^EMAIL ann@example\.com$/m);
  });
}
