import assert from "node:assert/strict";
import { mkdir, symlink } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
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
const HOOKS = `
import { type InboxState, useInbox, useInboxFeed, usePreferences, useUnreadCount } from "@belfry/inbox/react";
import * as vue from "@belfry/inbox/vue";
const feed = useInboxFeed({ wsUrl: "wss://127.0.0.1", getToken: async () => null }, "user-1");
const { items, markRead, ...rest } = useInbox(feed);
export const state: Pick<InboxState, "unread" | "problem"> = rest;
export const marks: Promise<void>[] = items.map(({ id }) => markRead(id));
export const count: number = useUnreadCount(feed);
const { rows, set, problem } = usePreferences(feed);
export const off: Promise<void>[] = rows.map(({ key }) => set(key, "EMAIL", false));
export const hasFailed: boolean = problem === "notRead";
const ours = vue.useInboxFeed(() => ({ wsUrl: "", getToken: async () => null }), () => "user-1");
export const unread: number = vue.useUnreadCount(ours).value;
export const title: string | undefined = vue.useInbox(() => ours.value).items.value[0]?.title;
export const isSaved: boolean = vue.usePreferences(feed).problem.value !== "notSaved";
`;
const WRONG = `
import { createClient, createManagementClient } from "@belfry/client";
createClient({ baseUrl: "http://127.0.0.1", apiKey: 1 });
createManagementClient({ baseUrl: "http://127.0.0.1", apiKey: "key" }).call("categoryDelete", { key: 1 });
import { InboxFeed } from "@belfry/inbox/inbox-feed";
import * as react from "@belfry/inbox/react";
import * as vue from "@belfry/inbox/vue";
const feed = new InboxFeed({ wsUrl: "", getToken: async () => null });
export const count: string = react.useUnreadCount(feed);
export const unread: string = vue.useUnreadCount(feed).value;
`;

export function typeTests(project: () => string): void {
  for (const [module, resolution] of RESOLUTIONS) {
    test(`moduleResolution ${resolution}: import and require, in a backend and in a page`, async () => {
      const folder = project();
      await write(join(folder, "backend"), { "ours.mts": BACKEND, "ours.cts": BACKEND });
      const page = { "ours.mts": PAGE, "ours.cts": PAGE };
      await write(join(folder, "page"), { ...page, "hooks.mts": HOOKS, "hooks.cts": HOOKS });
      await link(folder, "@types/node");
      await link(folder, "vue");
      const options = [...OPTIONS, "--module", module, "--moduleResolution", resolution];
      for (const [kind, lib, types] of KINDS) {
        const names = kind === "page" ? ["ours", "hooks"] : ["ours"];
        const files = names.flatMap((name) => [`${kind}/${name}.mts`, `${kind}/${name}.cts`]);
        await run(TSC, [...options, "--lib", lib, "--types", types, ...files], folder);
      }
    });
  }

  test("a wrong use is told", async () => {
    const folder = project();
    await write(join(folder, "wrong"), { "ours.mts": WRONG });
    await link(folder, "vue");
    const args = [...OPTIONS, "--module", "node16", "--moduleResolution", "node16"];
    const { code, out } = await runAnyhow(TSC, [...args, "wrong/ours.mts"], folder);
    assert.notEqual(code, 0);
    for (const line of [3, 4, 9, 10]) {
      const told = `wrong/ours\\.mts\\(${line},.*'number' is not assignable to type 'string'`;
      assert.match(out, new RegExp(told));
    }
  });
}

/** Installs a package of this checkout: Node's types, which every backend has, or a framework. */
async function link(folder: string, name: string): Promise<void> {
  const place = join(folder, "node_modules", name);
  await mkdir(dirname(place), { recursive: true });
  const ours = createRequire(join(ROOT, "test/package.json")).resolve(`${name}/package.json`);
  await symlink(dirname(ours), place).catch((error) => {
    if (error.code !== "EEXIST") throw error;
  });
}
