import { once } from "node:events";
import type { TestContext } from "node:test";
import { testNatsUrl, testPrefix } from "@belfry/testing/nats";
import { createTestDatabase } from "@belfry/testing/postgres";
import { quickStart } from "@belfry/testing/quick-start";
import { newHome, type RunningStack, startStack } from "../stack/start-stack.ts";

/** Starts the whole stack on the servers of this test run. */
export async function startAdminStack(t: TestContext): Promise<RunningStack> {
  const cleanup = new AsyncDisposableStack();
  t.after(() => cleanup.disposeAsync());
  const last = { after: (fn: () => Promise<void>) => cleanup.defer(fn) };
  const home = await newHome(last, {
    DATABASE_URL: (await createTestDatabase(last)).url,
    NATS_URL: testNatsUrl(),
    NATS_PREFIX: testPrefix(last),
    // Counts the figures of the overview often, so that tests see them soon.
    ACTIVITY_EVERY_MS: "1000",
    ...quickStart(),
  });
  const stack = await startStack(home);
  cleanup.defer(async () => {
    stack.child.kill("SIGTERM");
    await once(stack.child, "exit");
  });
  return stack;
}

/** The path of the printed sign-in link for the first operator. */
export function firstLink(stack: RunningStack): string {
  const link = new RegExp(`${stack.local.adminUrl}(/join/\\S+)`).exec(stack.output());
  return link?.[1] ?? "";
}
