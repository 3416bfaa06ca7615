import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { formatSource } from "@belfry/testing/format-source";
import { manageDocument } from "./document.ts";
import { type CallsDocument, managementApi } from "./management-api.ts";

const FILE = fileURLToPath(new URL("../../packages/client/src/management-api.ts", import.meta.url));

test("the client's management-api.ts has the calls and types of the management document", async (t) => {
  const source = await formatSource(
    managementApi(manageDocument as unknown as CallsDocument),
    FILE,
  );
  t.assert.fileSnapshot(source, FILE, { serializers: [(value: string) => value] });
});
