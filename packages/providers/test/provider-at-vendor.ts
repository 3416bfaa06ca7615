import type { ServerResponse } from "node:http";
import type { TestContext } from "node:test";
import type { ProviderDeps, ProviderKind } from "../src/provider.ts";
import { type ReceivedCall, startVendor } from "./loopback-vendor.ts";
import { testDeps } from "./messages.ts";

export interface GivenAnswer {
  status: number;
  headers?: Record<string, string>;
  /** Text, or an object that is sent as JSON. */
  body?: string | object;
}

/** The vendor's answer: fixed, computed from the call by a judge, or computed by a function. */
type Answer =
  | GivenAnswer
  | { judge(call: ReceivedCall): GivenAnswer }
  | ((response: ServerResponse) => void);

/** Starts a vendor that answers so, and a provider of the kind that calls it until the test ends. */
export function providerAtVendor<Message>(
  kind: ProviderKind<Message>,
  settings: Record<string, unknown>,
  addressSetting = "baseUrl",
) {
  return async (
    t: TestContext,
    answer: Answer,
    changes: Record<string, unknown> = {},
    deps: Partial<ProviderDeps> = {},
  ) => {
    const vendor = await startVendor(t, (response, call) => {
      if (typeof answer === "function") return answer(response);
      const given = "judge" in answer ? answer.judge(call) : answer;
      const { body } = given;
      const text = typeof body === "object" ? JSON.stringify(body) : body;
      response.writeHead(given.status, given.headers).end(text);
    });
    const whole = { ...settings, [addressSetting]: vendor.url, ...changes };
    const provider = kind.create(whole, testDeps(deps));
    t.after(() => provider.close());
    return { vendor, provider };
  };
}
