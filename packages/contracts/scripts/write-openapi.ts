import { writeFile } from "node:fs/promises";
import { openApiDocument } from "../src/openapi-document.ts";

/** `node packages/contracts/scripts/write-openapi.ts`: docs/openapi.json anew. */
const file = new URL("../../../docs/openapi.json", import.meta.url);
await writeFile(file, `${JSON.stringify(openApiDocument(), null, 2)}\n`);
