import assert from "node:assert/strict";
import { symlink } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import { ROOT, run, runAnyhow, write } from "./packed.ts";

const TSC = join(ROOT, "node_modules/.bin/tsc");
/** The strictest options; `skipLibCheck` is off, so the packages' declarations are checked too. */
const OPTIONS = [
  ...["--ignoreConfig", "--noEmit", "--strict", "--exactOptionalPropertyTypes"],
  ...["--noUncheckedIndexedAccess", "--target", "es2022"],
];
const RESOLUTIONS = [
  ["node16", "node16"],
  ["esnext", "bundler"],
] as const;

/** Ambient types: Node's for a backend, the DOM's for a page. */
const KINDS = [
  ["backend", "es2023", "node"],
  ["page", "es2023,dom,dom.iterable", ""],
] as const;

const BACKEND = `
import { BelfryError, type ClientOptions, createClient, type EventReport, type TriggerInput } from "@belfry/client";
import { createManagementClient, type Management, type ManagementInput } from "@belfry/client";
const options: ClientOptions = { baseUrl: "http://127.0.0.1", apiKey: "key" };
const input: TriggerInput = { eventType: "order.confirmed", payload: { userId: "user-1" } };
export const id: Promise<string> = createClient(options).trigger(input).then((event) => event.id);
export const report: Promise<EventReport> = createClient(options).event("id");
export const faults = (error: unknown): readonly string[] => error instanceof BelfryError ? error.messages : [];
const management = createManagementClient(options);
const category: ManagementInput<"categoryPut"> = { key: "offers", label: { "": "Offers" } };
export const put: Promise<Management.Category> = management.call("categoryPut", category);
export const suppressed: AsyncIterable<Management.Suppression> = management.each("suppressionList");
`;
const PAGE = `
import { BelfryInbox, InboxFeed, type InboxItem } from "@belfry/inbox";
import { InboxFeed as Alone } from "@belfry/inbox/inbox-feed";
const feed = new InboxFeed({ wsUrl: "wss://127.0.0.1", getToken: async () => ({ token: "t", channels: ["c"] }) });
export const items: readonly InboxItem[] = feed.items;
export const same: typeof InboxFeed = Alone;
const element = new BelfryInbox();
element.feed = feed;
element.labels = { title: "Nachrichten" };
document.body.append(element);
`;
const WRONG = `
import { createClient, createManagementClient } from "@belfry/client";
createClient({ baseUrl: "http://127.0.0.1", apiKey: 1 });
createManagementClient({ baseUrl: "http://127.0.0.1", apiKey: "key" }).call("categoryDelete", { key: 1 });
`;

export function typeTests(project: () => string): void {
  for (const [module, resolution] of RESOLUTIONS) {
    test(`moduleResolution ${resolution}: import and require, in a backend and in a page`, async () => {
      const folder = project();
      await write(join(folder, "backend"), { "ours.mts": BACKEND, "ours.cts": BACKEND });
      await write(join(folder, "page"), { "ours.mts": PAGE, "ours.cts": PAGE });
      await linkNodeTypes(folder);
      const options = [...OPTIONS, "--module", module, "--moduleResolution", resolution];
      for (const [kind, lib, types] of KINDS) {
        const files = [`${kind}/ours.mts`, `${kind}/ours.cts`];
        await run(TSC, [...options, "--lib", lib, "--types", types, ...files], folder);
      }
    });
  }

  test("a wrong use is told", async () => {
    const folder = project();
    await write(join(folder, "wrong"), { "ours.mts": WRONG });
    const args = [...OPTIONS, "--module", "node16", "--moduleResolution", "node16"];
    const { code, out } = await runAnyhow(TSC, [...args, "wrong/ours.mts"], folder);
    assert.notEqual(code, 0);
    for (const line of [3, 4]) {
      const told = `wrong/ours\\.mts\\(${line},.*'number' is not assignable to type 'string'`;
      assert.match(out, new RegExp(told));
    }
  });
}

/** The types that every TypeScript backend has installed. */
async function linkNodeTypes(folder: string): Promise<void> {
  await write(join(folder, "node_modules/@types"), {});
  await symlink(
    join(ROOT, "node_modules/@types/node"),
    join(folder, "node_modules/@types/node"),
  ).catch((error) => {
    if (error.code !== "EEXIST") throw error;
  });
}
