import type { ServerResponse } from "node:http";
import type { TestContext } from "node:test";
import type { ProviderDeps, ProviderKind } from "../src/provider.ts";
import { startVendor } from "./loopback-vendor.ts";
import { testDeps } from "./messages.ts";

/** What the vendor says to every call; a function says it by itself. */
type Answer =
  | { status: number; headers?: Record<string, string>; body?: string }
  | ((response: ServerResponse) => void);

/** Starts a vendor that answers so, and a provider of the kind that calls it until the test ends. */
export function providerAtVendor<Message>(
  kind: ProviderKind<Message>,
  settings: Record<string, unknown>,
) {
  return async (
    t: TestContext,
    answer: Answer,
    changes: Record<string, unknown> = {},
    deps: Partial<ProviderDeps> = {},
  ) => {
    const vendor = await startVendor(t, (response) => {
      if (typeof answer === "function") return answer(response);
      response.writeHead(answer.status, answer.headers).end(answer.body);
    });
    const provider = kind.create({ ...settings, baseUrl: vendor.url, ...changes }, testDeps(deps));
    t.after(() => provider.close());
    return { vendor, provider };
  };
}
