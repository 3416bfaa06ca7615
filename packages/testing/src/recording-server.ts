import { createServer, type IncomingHttpHeaders, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import type { Cleanup } from "./cleanup.ts";

export interface RecordedRequest {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
  at: number;
}

export interface ScriptedAnswer {
  status?: number;
  headers?: Record<string, string>;
  /** An object is sent as JSON. */
  body?: string | object;
  /** The answer is delayed until this resolves. */
  after?: Promise<unknown>;
  /** "reset" cuts the connection without an answer, "hang" never answers. */
  instead?: "reset" | "hang";
}

/** A fake HTTP server of an external service. It records requests and sends scripted answers. */
export interface RecordingServer extends AsyncDisposable {
  /** `http://127.0.0.1:port`. */
  url: string;
  requests: RecordedRequest[];
  /** The answer to every request for which `next` has set none. Initially 200 with `{}`. */
  answer: ScriptedAnswer | ((request: RecordedRequest) => ScriptedAnswer);
  /** Sets the answers to the next requests, in order. */
  next(...answers: ScriptedAnswer[]): void;
  /** Waits until `count` requests have arrived, and returns all requests. */
  received(count: number, timeoutMs?: number): Promise<RecordedRequest[]>;
  close(): Promise<void>;
}

export async function startRecordingServer(t?: Cleanup): Promise<RecordingServer> {
  const queue: ScriptedAnswer[] = [];
  const waiters: (() => void)[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    try {
      for await (const chunk of request) chunks.push(chunk);
    } catch {
      return;
    }
    const recorded: RecordedRequest = {
      method: request.method ?? "",
      path: request.url ?? "",
      headers: request.headers,
      body: Buffer.concat(chunks).toString("utf8"),
      at: Date.now(),
    };
    recording.requests.push(recorded);
    for (const waiter of waiters.splice(0)) waiter();
    const { answer } = recording;
    const scripted = queue.shift() ?? (typeof answer === "function" ? answer(recorded) : answer);
    await scripted.after;
    send(response, scripted);
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  const close = async () => {
    server.closeAllConnections();
    if (server.listening) await new Promise((resolve) => server.close(resolve));
  };
  const recording: RecordingServer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: [],
    answer: { status: 200, body: {} },
    next: (...answers) => void queue.push(...answers),
    async received(count, timeoutMs = 60_000) {
      let late = false;
      const timer = setTimeout(() => {
        late = true;
        for (const waiter of waiters.splice(0)) waiter();
      }, timeoutMs);
      while (recording.requests.length < count && !late) {
        await new Promise<void>((resolve) => waiters.push(resolve));
      }
      clearTimeout(timer);
      if (recording.requests.length < count) {
        throw new Error(`${recording.requests.length} of ${count} requests in ${timeoutMs} ms`);
      }
      return recording.requests;
    },
    close,
    [Symbol.asyncDispose]: close,
  };
  t?.after(close);
  return recording;
}

function send(response: ServerResponse, answer: ScriptedAnswer): void {
  if (answer.instead === "hang") return;
  if (answer.instead === "reset") {
    response.socket?.resetAndDestroy();
    return;
  }
  const isJson = typeof answer.body === "object";
  response.writeHead(answer.status ?? 200, {
    ...(isJson ? { "content-type": "application/json" } : {}),
    ...answer.headers,
  });
  response.end(isJson ? JSON.stringify(answer.body) : answer.body);
}
