import type { SendOutcome } from "@belfry/contracts/sending";
import { Agent, buildConnector, type Dispatcher, request } from "undici";
import { AddressRefused, guardedLookup, hostFault } from "./address-guard.ts";
import { startPatience } from "./patience.ts";
import type { ProviderContext, ProviderDeps } from "./provider.ts";
import { outcome } from "./send-outcome.ts";

/** Shorter than a vendor's own idle time, so that a call seldom meets a connection just closed. */
const KEEP_ALIVE_MS = 10_000;
const MAX_ANSWER_BYTES = 64 * 1024;

export interface HttpCall {
  url: string;
  headers: Record<string, string>;
  body: string;
}

export interface HttpAnswer {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  /** Up to 64 KiB of the body, or what had come when it broke off. */
  text: string;
}

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
  const agent = new Agent({
    connections: context.maxCalls,
    pipelining: 1,
    allowH2: false,
    keepAliveTimeout: KEEP_ALIVE_MS,
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: guardedConnector(context),
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
  const progress = { begun: false };
  const onBegin = () => {
    progress.begun = true;
    patience.renew(timeoutMs);
  };
  try {
    const response = await request(call.url, {
      method: "POST",
      headers: call.headers,
      body: call.body,
      signal: patience.signal,
      dispatcher: agent.compose(noteBegin(onBegin)),
    });
    const text = await readStart(response.body);
    return {
      answered: true,
      answer: { status: response.statusCode, headers: response.headers, text },
    };
  } catch (error) {
    return { answered: false, outcome: unanswered(error, progress.begun) };
  } finally {
    patience.end();
  }
}

/**
 * Notes when undici begins to write the request to a connection. Everything before (names, connect,
 * TLS, waiting for a free connection) cannot have reached the vendor; everything after may have.
 */
function noteBegin(onBegin: () => void): Dispatcher.DispatcherComposeInterceptor {
  return (dispatch) => (options, handler) =>
    dispatch(options, {
      onRequestStart(controller, context) {
        handler.onRequestStart?.(controller, context);
        onBegin();
      },
      onRequestUpgrade: (...event) => handler.onRequestUpgrade?.(...event),
      onResponseStart: (...event) => handler.onResponseStart?.(...event),
      onResponseData: (...event) => handler.onResponseData?.(...event),
      onResponseEnd: (...event) => handler.onResponseEnd?.(...event),
      onResponseError: (...event) => handler.onResponseError?.(...event),
    });
}

async function readStart(body: Dispatcher.ResponseData["body"]): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of body as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      bytes += chunk.length;
      // Leaving the loop destroys the stream: an endless answer costs one connection, not memory.
      if (bytes >= MAX_ANSWER_BYTES) break;
    }
  } catch {
    // The status stands; whoever needs the body finds it incomplete.
  }
  return Buffer.concat(chunks).subarray(0, MAX_ANSWER_BYTES).toString();
}

function unanswered(error: unknown, begun: boolean): SendOutcome {
  const code = errorCode(error);
  if (error instanceof AddressRefused) return outcome("credentials", error.message);
  if (!begun) return outcome("transient", `no connection to the vendor (${code})`);
  return outcome("ambiguous", `the request left and no answer came (${code})`);
}

function errorCode(error: unknown): string {
  if (!(error instanceof Error)) return "unknown";
  return "code" in error && typeof error.code === "string" ? error.code : error.name;
}

function guardedConnector(deps: ProviderDeps): buildConnector.connector {
  const connect = buildConnector({
    timeout: deps.timeoutMs,
    allowH2: false,
    // undici hands its options on to net.connect and tls.connect; its type leaves `lookup` out.
    ...({ lookup: guardedLookup(deps) } as object),
  });
  return (options, callback) => {
    // A literal address never reaches `lookup`.
    const fault = hostFault(options.hostname, deps);
    if (fault !== null) callback(new AddressRefused(`the host ${fault}`), null);
    else connect(options, callback);
  };
}
