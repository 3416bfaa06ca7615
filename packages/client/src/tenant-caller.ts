import { type Answer, type Caller, type CallOptions, requestOf, sign } from "./call.ts";
import { TENANT_ROUTES, type TenantCalls, type TenantRoute } from "./tenant-api.ts";

const BASE_PATH = "/api/v1";

type Name = keyof TenantCalls;
/** The input of a call. A field may be undefined, and a list may be read-only. */
type Given<Input> = { [Field in keyof Input]: Readonly<Input[Field]> | undefined };

/** How the client makes its calls. A call is signed if its route says so and the tenant has a webhook secret. */
export interface TenantCaller {
  call<N extends Name>(
    name: N,
    input: Given<TenantCalls[N]["input"]>,
    options?: CallOptions,
    headers?: Record<string, string>,
  ): Promise<Answer<TenantCalls[N]["answer"]>>;
  /** Like `call`, but resolves with the answer's body alone. */
  answer<N extends Name>(
    name: N,
    input: Given<TenantCalls[N]["input"]>,
    options?: CallOptions,
  ): Promise<TenantCalls[N]["answer"]>;
}

export function createTenantCaller(send: Caller, webhookSecret: string | undefined): TenantCaller {
  const call: TenantCaller["call"] = async (name, input, options = {}, headers = {}) => {
    const route: TenantRoute = TENANT_ROUTES[name];
    const { path, body } = requestOf(route, input);
    // All tries send the same text, because the signature covers its bytes.
    const signature: Record<string, string> =
      route.isSigned && webhookSecret !== undefined
        ? { "x-service-signature": sign(webhookSecret, body ?? "") }
        : {};
    return await send(route.method, BASE_PATH + path, {
      ...options,
      headers: { ...signature, ...headers },
      ...(body !== undefined && { body }),
    });
  };
  return { call, answer: async (...given) => (await call(...given)).body };
}

/** Removes `success`: a call without success rejects. */
export function withoutSuccess<Body extends { success: boolean }>({
  success: _,
  ...answer
}: Body): Omit<Body, "success"> {
  return answer;
}
