import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { MANAGE_PATH } from "@belfry/administration/act-http";
import { formatSource } from "@belfry/testing/format-source";
import { type CallsDocument, type CallsFile, clientCalls } from "./client-calls.ts";
import { document, manageDocument } from "./document.ts";

async function assertHolds(t: test.TestContext, name: string, of: unknown, file: CallsFile) {
  const path = fileURLToPath(new URL(`../../packages/client/src/${name}`, import.meta.url));
  const source = await formatSource(clientCalls(of as CallsDocument, file), path);
  t.assert.fileSnapshot(source, path, { serializers: [(value: string) => value] });
}

test("the client's management-api.ts has the calls and types of the management document", async (t) => {
  await assertHolds(t, "management-api.ts", manageDocument, {
    about: "The calls of the management API.",
    prefix: "Management",
    basePath: MANAGE_PATH,
    isDataOnly: true,
  });
});

test("the client's tenant-api.ts has the calls and types of the document for tenants", async (t) => {
  await assertHolds(t, "tenant-api.ts", document, {
    about: "The calls of the API for tenants.",
    prefix: "Tenant",
    basePath: "/api/v1",
    isDataOnly: false,
  });
});
