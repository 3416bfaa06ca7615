import { randomUUID } from "node:crypto";
import { type CallOptions, createCaller, requestOf, sign, type Transport } from "./call.ts";
import { MANAGEMENT_ROUTES, type ManagementCalls, type ManagementRoute } from "./management-api.ts";

const MANAGE_PATH = "/api/v1/manage";
const SECOND_MS = 1000;
/** Longer than for a trigger, because publishing compiles every language of a template. */
const DEFAULT_TIMEOUT_MS = 60 * SECOND_MS;
/**
 * Fields that name the state on which a change is based. If the answer to the first try is lost, a second try finds the
 * first one's change and gets a 412 or 409.
 */
const BASES = ["revision", "plan", "basedOnVersion"];

export interface ManagementOptions extends Partial<Transport> {
  /** The address of the management API, such as `https://notify.example.com`. */
  baseUrl: string;
  /** A key with the role `manage` or `provision`. */
  apiKey: string;
  /** The webhook secret, if your tenant has one. The client then signs every call. */
  webhookSecret?: string | undefined;
  /** Timeout of one try in ms. Default: 60 s. */
  timeoutMs?: number;
}

/** An operation's id in the management document, such as `categoryPut`. */
export type ManagementCall = keyof ManagementCalls;
export type ManagementInput<Name extends ManagementCall> = ManagementCalls[Name]["input"];
export type ManagementData<Name extends ManagementCall> = ManagementCalls[Name]["data"];

/** The calls that return lists in pages. */
export type PagedCall = {
  [Name in ManagementCall]: ManagementCalls[Name] extends { pages: string } ? Name : never;
}[ManagementCall];

/** One row of a list call. */
export type ManagementItem<Name extends PagedCall> = ManagementCalls[Name] extends {
  pages: infer Field;
  data: infer Data;
}
  ? Data extends Record<Field & string, readonly (infer Item)[]>
    ? Item
    : never
  : never;

/** The input may be omitted if none of its fields is required. */
type Arguments<Name extends ManagementCall> =
  Record<string, never> extends ManagementInput<Name>
    ? [input?: ManagementInput<Name>, options?: CallOptions]
    : [input: ManagementInput<Name>, options?: CallOptions];

export interface ManagementClient {
  /**
   * Makes one call and resolves with its data. If the input has `revision` or `plan` and another change was saved in
   * the meantime, it rejects with a `BelfryError` of status 412.
   */
  call<Name extends ManagementCall>(
    name: Name,
    ...given: Arguments<Name>
  ): Promise<ManagementData<Name>>;
  /** Yields every row of a list and reads the pages when they are needed. `limit` is the size of a page. */
  each<Name extends PagedCall>(
    name: Name,
    ...given: Arguments<Name>
  ): AsyncGenerator<ManagementItem<Name>, void, undefined>;
}

type Fields = Readonly<Record<string, unknown>>;

/**
 * Creates a client that manages one tenant. 429 is retried as by `createClient`. 5xx and network faults are retried
 * only if a repetition does no harm: reads, dry runs, each `POST` (it has an idempotency key), and each `PUT` and
 * `DELETE` without `revision`, `plan` and `basedOnVersion`. Rejects with `BelfryError`, `BelfryNetworkError` or the
 * reason of your own `signal`.
 */
export function createManagementClient(options: ManagementOptions): ManagementClient {
  const { webhookSecret, timeoutMs = DEFAULT_TIMEOUT_MS } = options;
  const send = createCaller({ ...options, timeoutMs });
  const baseUrl = options.baseUrl.replace(/\/+$/, "");

  async function call(name: ManagementCall, input: Fields = {}, rest: CallOptions = {}) {
    const route: ManagementRoute | undefined = MANAGEMENT_ROUTES[name];
    if (route === undefined) throw new TypeError(`the management API has no call "${name}"`);
    const { path: below, body } = requestOf(route, input);
    const path = MANAGE_PATH + below;
    // All tries have the same key: Belfry carries out one of them and returns its answer to the others.
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
    // Signs the path of the whole URL, because the base address may contain a path, too.
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

function isRepeatable({ method }: ManagementRoute, input: Fields): boolean {
  if (method === "GET" || method === "POST" || input.dryRun === true) return true;
  return BASES.every((name) => input[name] === undefined);
}
