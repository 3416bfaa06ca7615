import { storedReason } from "@belfry/contracts/reasons";
import type { SendOutcome } from "@belfry/contracts/sending";
import type { Agent } from "undici";
import { AddressRefused } from "./address-guard.ts";
import { startPatience } from "./patience.ts";
import { errorCode, guardedAgent, type HttpAnswer, type HttpCall, postOnce } from "./post-once.ts";
import type { ProviderContext, ProviderDeps } from "./provider.ts";
import { outcome } from "./send-outcome.ts";

const MAX_ANSWER_BYTES = 64 * 1024;

/** An answer with a status, or the outcome of a call that got none. */
export type CallResult =
  | { answered: true; answer: HttpAnswer }
  | { answered: false; outcome: SendOutcome };

export interface HttpCalls {
  /** POSTs once: no redirect followed, no retry, a deadline to connect and one to answer. Never rejects. */
  post(call: HttpCall): Promise<CallResult>;
  close(): Promise<void>;
}

/** The kept-alive, bounded connections of one credential, behind the address guard. */
export function createHttpCalls(
  context: ProviderDeps & Pick<ProviderContext, "maxCalls">,
): HttpCalls {
  const { allowPrivateAddresses, resolve } = context;
  const agent = guardedAgent({
    connections: context.maxCalls,
    connectTimeoutMs: context.timeoutMs,
    allowPrivateAddresses,
    ...(resolve && { resolve }),
  });
  return {
    post: (call) => post(agent, call, context),
    close: () => agent.close(),
  };
}

async function post(
  agent: Agent,
  call: HttpCall,
  { timeoutMs, clock }: ProviderDeps,
): Promise<CallResult> {
  const patience = startPatience(timeoutMs, clock);
  const result = await postOnce(agent, call, {
    signal: patience.signal,
    maxAnswerBytes: MAX_ANSWER_BYTES,
    onBegin: () => patience.renew(timeoutMs),
  });
  patience.end();
  if (result.answered) return result;
  return { answered: false, outcome: unanswered(result.error, result.begun) };
}

function unanswered(error: unknown, begun: boolean): SendOutcome {
  const code = errorCode(error);
  if (error instanceof AddressRefused) return outcome("credentials", error.message);
  if (!begun) return outcome("transient", storedReason("no-connection-to-vendor", { code }));
  return outcome("ambiguous", storedReason("no-answer", { code }));
}
