import type { HttpCall } from "./http-calls.ts";
import type { Provider, ProviderContext } from "./provider.ts";
import { type JudgedVendor, judge, type Meaning } from "./send-outcome.ts";

/** An API that accepts a message by one POST. */
export interface HttpVendor<Message, Settings> extends JudgedVendor {
  request(
    message: Message,
    settings: Settings,
    context: ProviderContext,
  ): HttpCall | Promise<HttpCall>;
  /** Returns what of a message's own settings a stored answer must not repeat. */
  secretsOf?(message: Message): readonly string[];
}

/** Returns the `create` of a kind of provider, over bounded connections behind the address guard. */
export function createHttpVendor<Message, Settings>(vendor: HttpVendor<Message, Settings>) {
  return async (settings: Settings, context: ProviderContext): Promise<Provider<Message>> => {
    const { createHttpCalls } = await import("./http-calls.ts");
    const calls = createHttpCalls(context);
    return {
      async send(message) {
        const result = await calls.post(await vendor.request(message, settings, context));
        if (!result.answered) return result.outcome;
        const secrets = [...context.secrets, ...(vendor.secretsOf?.(message) ?? [])];
        return judge(vendor, result.answer, { secrets, now: context.now });
      },
      close: () => calls.close(),
    };
  };
}

/** Looks up a vendor's code in a table. A code that is not in the table means what the HTTP status says. */
export function meaningOf(
  table: Readonly<Record<string, Omit<Meaning, "code">>>,
  code: unknown,
): Meaning {
  if (typeof code !== "string" && typeof code !== "number") return {};
  const name = String(code);
  if (!/^[\w.-]{1,100}$/.test(name)) return {};
  return { code: name, ...(Object.hasOwn(table, name) ? table[name] : {}) };
}

/** Returns the rows of such a table for codes with the same meaning. */
export function each(meaning: Omit<Meaning, "code">, ...codes: (string | number)[]) {
  return Object.fromEntries(codes.map((code) => [code, meaning]));
}

/** A limit of an account that is not yet approved: another account may send this message, and this account others. */
export const ACCOUNT_FOR_THIS_MESSAGE: Meaning = { class: "credentials", ofOneMessage: true };

/** Returns the API's address: the settings' own, else the vendor's, without a slash at its end. */
export function apiUrl({ baseUrl }: { baseUrl?: string | undefined }, vendorUrl: string): string {
  return (baseUrl ?? vendorUrl).replace(/\/+$/, "");
}

/** The header fields of a call whose request and answer are JSON. */
export const JSON_HEADERS = {
  accept: "application/json",
  "content-type": "application/json",
  "user-agent": "belfry",
} as const;

/** Returns `user:password` as the value of the header field `authorization`. */
export function basicAuthorization(user: string, password: string): string {
  return `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`;
}
