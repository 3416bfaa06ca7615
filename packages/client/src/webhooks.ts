import type {
  NewSigningSecret,
  Replayed,
  ReplayInput,
  Webhook,
  WebhookAttempt,
  WebhookInput,
  WebhookMessage,
  WebhookPage,
  WebhookPageInput,
} from "./api.ts";
import type { CallOptions } from "./call.ts";
import { type TenantCaller, withoutSuccess } from "./tenant-caller.ts";

/** Calls for endpoints that receive the results of your events, and for the messages that were sent to them. */
export interface WebhookCalls {
  list(options?: CallOptions): Promise<Webhook[]>;
  /**
   * Creates an endpoint, or changes the one with this URL. The secret is returned only when the endpoint is created.
   */
  put(input: WebhookInput, options?: CallOptions): Promise<Webhook & { secret?: string }>;
  show(webhookId: string, options?: CallOptions): Promise<Webhook>;
  /** Changes the given settings. */
  change(webhookId: string, change: Partial<WebhookInput>, options?: CallOptions): Promise<Webhook>;
  /** Deletes an endpoint with its messages. */
  delete(webhookId: string, options?: CallOptions): Promise<void>;
  /** Replaces the secret. The previous one also signs for 24 hours, even if this call is retried. */
  rotateSecret(webhookId: string, options?: CallOptions): Promise<NewSigningSecret>;
  /** Returns attempts: those of the newest message first. */
  attempts(
    webhookId: string,
    page?: WebhookPageInput & CallOptions,
  ): Promise<WebhookPage<WebhookAttempt>>;
  /** Returns messages, the newest first. */
  messages(
    webhookId: string,
    page?: WebhookPageInput & CallOptions,
  ): Promise<WebhookPage<WebhookMessage>>;
  /** Returns a message with the posted JSON and every attempt. */
  message(
    webhookId: string,
    messageId: string,
    options?: CallOptions,
  ): Promise<WebhookMessage & { payload: string; attempts: WebhookAttempt[] }>;
  /**
   * Sends a message again, even if it has arrived. Rejects with a 409 if its delivery has not ended. Returns the copy's
   * id.
   */
  resend(webhookId: string, messageId: string, options?: CallOptions): Promise<string>;
  /** Sends the messages of a time window again that did not arrive, at most 10,000 in one call. */
  replay(webhookId: string, window: ReplayInput, options?: CallOptions): Promise<Replayed>;
  /** Sends a message of type webhook.test. Returns its id for `message`. */
  test(webhookId: string, options?: CallOptions): Promise<string>;
}

export function webhookCalls({ answer }: TenantCaller): WebhookCalls {
  return {
    list: async (rest) => (await answer("listWebhooks", {}, rest)).data,
    async put(input, rest) {
      const { data, secret } = await answer("putWebhook", input, rest);
      return secret === undefined ? data : { ...data, secret };
    },
    show: async (webhookId, rest) => (await answer("showWebhook", { webhookId }, rest)).data,
    change: async (webhookId, change, rest) =>
      (await answer("changeWebhook", { ...change, webhookId }, rest)).data,
    async delete(webhookId, rest) {
      await answer("deleteWebhook", { webhookId }, rest);
    },
    async rotateSecret(webhookId, rest) {
      return withoutSuccess(await answer("rotateWebhookSecret", { webhookId }, rest));
    },
    async attempts(webhookId, { status, limit, after, ...rest } = {}) {
      const page = { webhookId, status, limit, after };
      const { data, next } = await answer("listWebhookAttempts", page, rest);
      return { items: data, next };
    },
    async messages(webhookId, { status, limit, after, ...rest } = {}) {
      const page = { webhookId, status, limit, after };
      const { data, next } = await answer("listWebhookMessages", page, rest);
      return { items: data, next };
    },
    async message(webhookId, messageId, rest) {
      const input = { webhookId, messageId };
      const { data, payload, attempts } = await answer("showWebhookMessage", input, rest);
      return { ...data, payload, attempts };
    },
    resend: async (webhookId, messageId, rest) =>
      (await answer("resendWebhookMessage", { webhookId, messageId }, rest)).messageId,
    async replay(webhookId, window, rest) {
      return withoutSuccess(await answer("replayWebhook", { ...window, webhookId }, rest));
    },
    test: async (webhookId, rest) => (await answer("testWebhook", { webhookId }, rest)).messageId,
  };
}
