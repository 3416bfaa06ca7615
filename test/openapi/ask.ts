import { createHmac } from "node:crypto";
import { checkResponse } from "./check-response.ts";

export interface Asked {
  method: string;
  path: string;
  key: string;
  /** A text is sent as it stands. */
  body?: unknown;
  /** Signs the body. */
  secret?: string | undefined;
  headers?: Record<string, string>;
}

/** Asks the API as a tenant's backend does; the answer is held to the document. */
export async function ask(url: string, { method, path, key, body, secret, headers = {} }: Asked) {
  const text = body === undefined ? "" : typeof body === "string" ? body : JSON.stringify(body);
  const signature =
    secret === undefined ? undefined : createHmac("sha256", secret).update(text).digest("hex");
  const response = await fetch(`${url}${path}`, {
    method,
    headers: {
      "x-api-key": key,
      ...(text === "" ? {} : { "content-type": "application/json" }),
      ...(signature === undefined ? {} : { "x-service-signature": signature }),
      ...headers,
    },
    ...(text === "" ? {} : { body: text }),
  });
  const { status, headers: answered } = response;
  const answer = await response.text();
  checkResponse({ method, path, status, headers: answered, body: answer });
  return { status, headers: answered, body: JSON.parse(answer) };
}
