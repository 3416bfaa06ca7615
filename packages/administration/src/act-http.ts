import type { Act } from "./act.ts";
import { invalid } from "./input-error.ts";

export const MANAGE_PATH = "/api/v1/manage";

/** How an act is called over HTTP: method, path, and the place of each field. */
export interface ActHttp {
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** The full path, such as `/api/v1/manage/categories/:key`. */
  path: string;
  params: readonly string[];
  query: readonly string[];
  body: readonly string[];
  /** Header names by field name. */
  headers: Readonly<Record<string, string>>;
}

/** Returns how the act is called over HTTP, or undefined if it is not. */
export function httpOf({
  http,
  input,
  headers = {},
}: Pick<Act, "http" | "input" | "headers">): ActHttp | undefined {
  if (http === undefined) return undefined;
  const [method, below = ""] = http.split(" ") as [ActHttp["method"], string?];
  const path = below.startsWith("/api/") ? below : MANAGE_PATH + below;
  const params = [...path.matchAll(/:(\w+)/g)].map(([, name = ""]) => name);
  const others = Object.keys(input.properties).filter(
    (name) => !params.includes(name) && !(name in headers),
  );
  const hasBody = method !== "GET" && method !== "DELETE";
  // `dryRun` changes what the call does, so it is always in the query. Other fields are in the body if there is one.
  const isInQuery = (name: string) => !hasBody || name === "dryRun";
  const query = others.filter(isInQuery);
  const body = others.filter((name) => !isInQuery(name));
  return { method, path, params, query, body, headers };
}

/** Returns the text of a management call that its signature covers: timestamp in Unix seconds, method, path with query, and body. */
export function signedText(
  timestamp: string,
  { method, path, body = "" }: { method: string; path: string; body?: string | undefined },
): string {
  return `${timestamp}.${method}.${path}.${body}`;
}

/** Returns the request that runs an act with an input. `path` includes the query. Throws `InvalidInput`. */
export function requestOf(
  http: ActHttp,
  given: Readonly<Record<string, unknown>>,
): { method: string; path: string; body: string | undefined; headers: Record<string, string> } {
  const path = http.path.replaceAll(/:(\w+)/g, (_, name: string) => {
    const value = String(given[name] ?? "");
    // URL parsers remove or resolve such a path segment.
    if (["", ".", ".."].includes(value)) throw invalid(name, "must not be empty, . or ..");
    return encodeURIComponent(value);
  });
  const query = new URLSearchParams();
  for (const name of http.query) {
    for (const value of [given[name] ?? []].flat()) query.append(name, String(value));
  }
  const body = Object.fromEntries(http.body.map((name) => [name, given[name]]));
  const headers = Object.entries(http.headers).flatMap(([name, header]) =>
    given[name] === undefined ? [] : [[header, String(given[name])]],
  );
  return {
    method: http.method,
    path: query.size === 0 ? path : `${path}?${query}`,
    body: http.body.length === 0 ? undefined : JSON.stringify(body),
    headers: Object.fromEntries(headers),
  };
}
