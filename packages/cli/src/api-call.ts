import { createHmac } from "node:crypto";
import type { Act } from "@belfry/administration/act";
import { type ActHttp, MANAGE_PATH, requestOf, signedText } from "@belfry/administration/act-http";
import { InvalidInput, NotFound } from "@belfry/administration/input-error";
import { CommandError } from "./command-error.ts";
import type { Environment } from "./environment.ts";
import type { Session } from "./session.ts";

const TIMEOUT_MS = 60_000;

function needsDatabase(): never {
  throw new CommandError("this needs the database: run it there, without --api");
}
const ABSENT = new Proxy(needsDatabase, { get: needsDatabase });

/** Replaces the session when a command runs by HTTP. Any use of it is a programming error. */
export const NO_SESSION = new Proxy({} as Session, { get: () => ABSENT });

/** Runs an act by the HTTP API. Throws the same errors as the act, with the same messages. */
export async function runByApi(
  base: string,
  { apiKey, webhookSecret }: Environment,
  act: Pick<Act, "pages">,
  http: ActHttp,
  input: Readonly<Record<string, unknown>>,
): Promise<unknown> {
  if (apiKey === undefined) throw new CommandError("BELFRY_API_KEY is not set");
  const { method, path, body, headers: own } = requestOf(http, input);
  const url = URL.parse(`${base.replace(/\/+$/, "")}${path}`);
  if (url === null || !/^https?:$/.test(url.protocol)) {
    throw new CommandError(`--api must be an address, as https://belfry.example.com: ${base}`);
  }
  const signed = { method, path: url.pathname + url.search, body };
  const headers = {
    ...own,
    "x-api-key": apiKey,
    // The connection is not kept alive, so that the process can exit right after its only call.
    connection: "close",
    ...(body !== undefined && { "content-type": "application/json" }),
    ...(webhookSecret !== undefined && signatureOf(webhookSecret, signed)),
  };
  const signal = AbortSignal.timeout(TIMEOUT_MS);
  const sent = { method, headers, signal, redirect: "error", ...(body !== undefined && { body }) };
  const { status, text } = await fetch(url, sent as RequestInit).then(
    async (response) => ({ status: response.status, text: await response.text() }),
    (cause) => {
      const { message } = (cause as Error & { cause?: Error }).cause ?? (cause as Error);
      throw new CommandError(`cannot reach the API (${url.origin}): ${message}`, { cause });
    },
  );
  const answer = answerOf(text);
  if (answer === undefined) {
    throw new CommandError(`${url.origin} answered ${status}, and not as Belfry does`);
  }
  if (status >= 400) throw errorOf(status, answer.message, http);
  const { success: _, data, next, ...fields } = answer;
  if (act.pages && Array.isArray(data)) return { items: data, next };
  // Some answers have their fields next to `success`, not in `data`.
  return data === undefined && Object.keys(fields).length > 0 ? fields : data;
}

/**
 * Returns the headers that sign a request. Management calls sign time, method, path and body; older calls sign only
 * their body.
 */
function signatureOf(
  secret: string,
  signed: { method: string; path: string; body: string | undefined },
): Record<string, string> {
  const sign = (text: string) => createHmac("sha256", secret).update(text).digest("hex");
  if (!signed.path.startsWith(`${MANAGE_PATH}/`)) {
    return { "x-service-signature": sign(signed.body ?? "") };
  }
  const at = String(Math.floor(Date.now() / 1000));
  return { "x-service-timestamp": at, "x-service-signature": sign(signedText(at, signed)) };
}

function answerOf(text: string): Record<string, unknown> | undefined {
  try {
    const answer = JSON.parse(text);
    return typeof answer === "object" && answer !== null ? answer : undefined;
  } catch {
    return undefined;
  }
}

/** Rebuilds the error that the act threw: a 422 lists faults as `field message`, a 404 says `field: message`. */
function errorOf(status: number, message: unknown, { headers }: ActHttp): Error {
  if (status === 422 && Array.isArray(message)) {
    return new InvalidInput(
      message.map((fault) => {
        const [, field = "", words = ""] = /^(\S+) (.*)$/s.exec(String(fault)) ?? [];
        const [name = field] =
          Object.entries(headers).find(([, header]) => header === field.toLowerCase()) ?? [];
        return { field: name, message: words };
      }),
    );
  }
  const [, field, words] = /^(\w+): (.*)$/s.exec(String(message)) ?? [];
  if (status === 404 && field !== undefined && words !== undefined) {
    return new NotFound(field, words);
  }
  return new CommandError(String(message));
}
