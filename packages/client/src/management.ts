import { randomUUID } from "node:crypto";
import { type CallOptions, createCaller, queryOf, segment, sign, type Transport } from "./call.ts";
import { MANAGEMENT_ROUTES, type ManagementCalls, type ManagementRoute } from "./management-api.ts";

const MANAGE_PATH = "/api/v1/manage";
const SECOND_MS = 1000;
/** Publishing compiles every language of a template: it takes longer than a trigger. */
const DEFAULT_TIMEOUT_MS = 60 * SECOND_MS;
/** Fields that name the state a change is based on. If the answer to a first try is lost, the second try meets its own change: 412 or 409. */
const BASES = ["revision", "plan", "basedOnVersion"];

export interface ManagementOptions extends Partial<Transport> {
  /** The address of the management API, such as `https://notify.example.com`. */
  baseUrl: string;
  /** A key with the role `manage` or `provision`. */
  apiKey: string;
  /** The webhook secret, if your tenant has one: then every call is signed. */
  webhookSecret?: string | undefined;
  /** For one try. Default 60 s. */
  timeoutMs?: number;
}

/** An operation's id in the management document, such as `categoryPut`. */
export type ManagementCall = keyof ManagementCalls;
export type ManagementInput<Name extends ManagementCall> = ManagementCalls[Name]["input"];
export type ManagementData<Name extends ManagementCall> = ManagementCalls[Name]["data"];

/** The calls that list in pages. */
export type PagedCall = {
  [Name in ManagementCall]: ManagementCalls[Name] extends { pages: string } ? Name : never;
}[ManagementCall];

/** One of the rows that a call lists. */
export type ManagementItem<Name extends PagedCall> = ManagementCalls[Name] extends {
  pages: infer Field;
  data: infer Data;
}
  ? Data extends Record<Field & string, readonly (infer Item)[]>
    ? Item
    : never
  : never;

/** The input may be left out where no field of it is required. */
type Arguments<Name extends ManagementCall> =
  Record<string, never> extends ManagementInput<Name>
    ? [input?: ManagementInput<Name>, options?: CallOptions]
    : [input: ManagementInput<Name>, options?: CallOptions];

export interface ManagementClient {
  /**
   * Makes one call and resolves with its data. Given the field `revision` or `plan`, it rejects with a `BelfryError` of
   * status 412 if somebody else saved in between.
   */
  call<Name extends ManagementCall>(
    name: Name,
    ...given: Arguments<Name>
  ): Promise<ManagementData<Name>>;
  /** Every row of a list, read page by page as you go; `limit` is the size of a page. */
  each<Name extends PagedCall>(
    name: Name,
    ...given: Arguments<Name>
  ): AsyncGenerator<ManagementItem<Name>, void, undefined>;
}

type Fields = Readonly<Record<string, unknown>>;

/**
 * Manages one tenant. 429 is retried as by `createClient`. 5xx and network faults are retried only where a repetition
 * does no harm: reads, dry runs, each `POST` (it carries an idempotency key), and each `PUT` and `DELETE` without a field
 * that says what it is based on. Rejects with `BelfryError`, `BelfryNetworkError` or the reason of your own `signal`.
 */
export function createManagementClient(options: ManagementOptions): ManagementClient {
  const { webhookSecret, timeoutMs = DEFAULT_TIMEOUT_MS } = options;
  const send = createCaller({ ...options, timeoutMs });
  const baseUrl = options.baseUrl.replace(/\/+$/, "");

  async function call(name: ManagementCall, input: Fields = {}, rest: CallOptions = {}) {
    const route: ManagementRoute | undefined = MANAGEMENT_ROUTES[name];
    if (route === undefined) throw new TypeError(`the management API has no call "${name}"`);
    const { path, body } = requestOf(route, input);
    // Each try has the same key: Belfry carries one of them out, and answers the others as that one.
    const key = route.method === "POST" ? { "idempotency-key": randomUUID() } : {};
    const answer = await send<{ data: unknown }>(route.method, path, {
      ...rest,
      ...(body !== undefined && { body }),
      repeatable: isRepeatable(route, input),
      headers: () => ({ ...key, ...signature(route.method, path, body) }),
    });
    return answer.body.data;
  }

  function signature(method: string, path: string, body = ""): Record<string, string> {
    if (webhookSecret === undefined) return {};
    // The path as the request sends it: the base address may have a path of its own.
    const { pathname, search } = new URL(baseUrl + path);
    const at = String(Math.floor(Date.now() / SECOND_MS));
    const signed = sign(webhookSecret, `${at}.${method}.${pathname}${search}.${body}`);
    return { "x-service-timestamp": at, "x-service-signature": signed };
  }

  async function* each(name: PagedCall, input: Fields = {}, rest: CallOptions = {}) {
    const { pages = "" } = MANAGEMENT_ROUTES[name];
    let after = input.after;
    do {
      const page = (await call(name, { ...input, after }, rest)) as Record<string, unknown>;
      yield* page[pages] as unknown[];
      after = page.next;
    } while (after !== undefined);
  }

  return { call, each } as ManagementClient;
}

/** Fields are in the path, in the query, or else in the body; those that are undefined are left out. */
function requestOf({ method, path, query = [] }: ManagementRoute, input: Fields) {
  const others = new Map(Object.entries(input).filter(([, value]) => value !== undefined));
  const take = (name: string) => {
    const value = others.get(name);
    others.delete(name);
    return value;
  };
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name) => segment(String(take(name) ?? "")));
  const search = queryOf(Object.fromEntries(query.map((name) => [name, take(name)])));
  const hasBody = method !== "GET" && method !== "DELETE" && others.size > 0;
  return {
    path: MANAGE_PATH + filled + search,
    body: hasBody ? JSON.stringify(Object.fromEntries(others)) : undefined,
  };
}

function isRepeatable({ method }: ManagementRoute, input: Fields): boolean {
  if (method === "GET" || method === "POST" || input.dryRun === true) return true;
  return BASES.every((name) => input[name] === undefined);
}
