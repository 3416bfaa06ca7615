import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { manageDocument } from "./document.ts";
import { type CallsDocument, managementApi } from "./management-api.ts";

const FILE = fileURLToPath(new URL("../../packages/client/src/management-api.ts", import.meta.url));
const BIOME = fileURLToPath(new URL("../../node_modules/.bin/biome", import.meta.url));

test("the client's management-api.ts has the calls and types of the management document", async (t) => {
  const source = await formatted(managementApi(manageDocument as unknown as CallsDocument));
  t.assert.fileSnapshot(source, FILE, { serializers: [(value: string) => value] });
});

async function formatted(source: string): Promise<string> {
  const biome = spawn(BIOME, ["format", `--stdin-file-path=${FILE}`], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  biome.stdin.end(source);
  return await text(biome.stdout);
}
