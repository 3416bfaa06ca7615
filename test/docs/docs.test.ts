import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { temporaryFolder } from "@belfry/testing/temporary-folder";
import { wholeFile } from "@belfry/testing/whole-file";
import { startStack } from "../end-to-end/stack.ts";
import { clientTests } from "./client-service.ts";
import { blocksOf, pages, readDoc } from "./markdown.ts";
import { pageTests } from "./page-tests.ts";
import { realtimeTests } from "./realtime-tests.ts";
import { sampleTests } from "./sample-tests.ts";

/** The documentation as a stranger uses it: each block is taken from the page and run as it stands. */

const cleanup = wholeFile();
const stack = await startStack(cleanup);
const folder = await temporaryFolder(cleanup, "docs");
const bench = { stack, folder, cleanup };

describe("what is written", () => {
  test("every block is of a kind that is tested, every sample is a file of the same text", () => {
    for (const block of pages().flatMap(blocksOf)) {
      const where = `${block.page}:${block.line}`;
      if (block.info.startsWith("examples/")) {
        assert.equal(block.text, readDoc(`../${block.info}`), where);
      } else {
        assert.match(
          `${block.language} ${block.info}`,
          /^(sh (by-hand)?|json (example|values)?|text |markdown |liquid |html |mjml )$/,
          where,
        );
      }
    }
  });
});

describe("the shell lines of each page", () => pageTests(bench));
describe("the samples", () => sampleTests(bench));
describe("the browser's page", () => realtimeTests(bench));
describe("the client for Node", () => clientTests(stack));
