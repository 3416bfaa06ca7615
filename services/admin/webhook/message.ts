import {
  resendWebhookMessage,
  testWebhook,
} from "@belfry/administration/webhooks/send-webhook-message";
import { webhookMessage } from "@belfry/administration/webhooks/webhook-messages";
import { showWebhook } from "@belfry/administration/webhooks/webhooks";
import { page, redirect } from "../page/answer.ts";
import type { PageDeps } from "../page/page-deps.ts";
import { messageState } from "./message-state.ts";
import { orTooLate } from "./too-late.ts";
import { typeWords } from "./webhook-words.ts";

/** One message to an endpoint with its tries; a test message is one, and so is a copy that is sent again. */
export function webhookMessagePages({ route }: PageDeps): void {
  const MESSAGE = "/tenants/:tenantId/webhooks/:webhookId/messages/:messageId";
  route(`GET ${MESSAGE}`, async ({ run, params }) => {
    const { webhookId = "", messageId = "" } = params;
    const endpoint = await run(showWebhook, { webhookId });
    const { message, payload, attempts } = await run(webhookMessage, { webhookId, messageId });
    return page("webhook-message", message.type, {
      ...{ endpoint, typeWords, attempts },
      message: { ...message, payload, inWords: messageState(message.status) },
    });
  });

  route("POST /tenants/:tenantId/webhooks/:webhookId/test", async ({ run, params, base }) => {
    const { webhookId = "" } = params;
    return await orTooLate(async () => {
      const { messageId } = await run(testWebhook, { webhookId });
      return redirect(`${base}/webhooks/${webhookId}/messages/${messageId}`, "test-sent");
    });
  });

  route(`POST ${MESSAGE}/resend`, async ({ run, params, base }) => {
    const { webhookId = "", messageId = "" } = params;
    return await orTooLate(async () => {
      const copy = await run(resendWebhookMessage, { webhookId, messageId });
      return redirect(`${base}/webhooks/${webhookId}/messages/${copy.messageId}`, "sent-again");
    });
  });
}
