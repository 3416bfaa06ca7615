import { createHmac } from "node:crypto";
import { checkResponse } from "./check-response.ts";

export interface Asked {
  method: string;
  path: string;
  key?: string | undefined;
  /** A string is sent unchanged. */
  body?: unknown;
  /** The secret that signs the body. */
  secret?: string | undefined;
  headers?: Record<string, string> | undefined;
}

/** Sends a request as a tenant's backend does and checks the answer against the OpenAPI document. */
export async function ask(url: string, { method, path, key, body, secret, headers }: Asked) {
  const text = typeof body === "string" ? body : (JSON.stringify(body) ?? "");
  const signature =
    secret === undefined ? undefined : createHmac("sha256", secret).update(text).digest("hex");
  const response = await fetch(`${url}${path}`, {
    method,
    headers: {
      ...(key !== undefined && { "x-api-key": key }),
      ...(text !== "" && { "content-type": "application/json" }),
      ...(signature !== undefined && { "x-service-signature": signature }),
      ...headers,
    },
    ...(text !== "" && { body: text }),
  });
  const { status, headers: answered } = response;
  const answer = await response.text();
  if (path.startsWith("/api/")) {
    checkResponse({ method, path, status, headers: answered, body: answer });
  }
  return { status, headers: answered, body: answer === "" ? undefined : JSON.parse(answer) };
}
