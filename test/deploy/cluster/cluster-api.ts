import { readFile } from "node:fs/promises";
import type { Cleanup } from "@belfry/testing/cleanup";
import { Agent, request } from "undici";

/** Calls of a Kubernetes API server. */
export interface ClusterApi {
  /** Calls `path`, with a body of JSON if one is given. Returns the status and the answer, parsed if it is JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: objects of Kubernetes, which the caller knows
  call(method: Method, path: string, body?: object): Promise<{ status: number; body: any }>;
}

type Method = "GET" | "POST" | "PATCH" | "DELETE";

export async function connectApi(
  t: Cleanup,
  { url, token, caFile }: { url: string; token: string; caFile: string },
): Promise<ClusterApi> {
  const agent = new Agent({ connect: { ca: await readFile(caFile) } });
  t.after(() => agent.destroy());
  return {
    async call(method, path, body) {
      const type = method === "PATCH" ? "application/merge-patch+json" : "application/json";
      const response = await request(`${url}${path}`, {
        method,
        dispatcher: agent,
        headers: { authorization: `Bearer ${token}`, "content-type": type },
        body: body === undefined ? null : JSON.stringify(body),
      });
      const text = await response.body.text();
      return { status: response.statusCode, body: text.startsWith("{") ? JSON.parse(text) : text };
    },
  };
}
