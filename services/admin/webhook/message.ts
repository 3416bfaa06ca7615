import { resendWebhookMessage } from "@belfry/administration/webhooks/resend-webhook-message";
import { testWebhook } from "@belfry/administration/webhooks/test-webhook";
import { messageAttempts } from "@belfry/administration/webhooks/webhook-attempts";
import { showWebhookMessage } from "@belfry/administration/webhooks/webhook-messages";
import { webhookNote } from "@belfry/administration/webhooks/webhook-notes";
import { showWebhook } from "@belfry/administration/webhooks/webhooks";
import { page, redirect } from "../drawing/answer.ts";
import type { PageDeps } from "../page-deps.ts";
import type { InTenant } from "../router.ts";
import { messageState } from "./message-state.ts";
import { orTooLate } from "./too-late.ts";
import { typeWords } from "./webhook-words.ts";

/** One message to an endpoint with its tries; a test message is one, and so is a copy that is sent again. */
export function webhookMessagePages({ route, db }: PageDeps): void {
  const placeOf = ({ tenant, params }: InTenant) => ({
    tenantId: tenant.id,
    webhookId: params.webhookId ?? "",
    messageId: params.messageId ?? "",
  });

  route("GET /tenants/:tenantId/webhooks/:webhookId/messages/:messageId", async (context) => {
    const of = placeOf(context);
    const endpoint = await showWebhook(db, of.tenantId, of.webhookId);
    const message = await showWebhookMessage(db, of);
    const attempts = await messageAttempts(db, of);
    return page("webhook-message", message.type, {
      ...{ endpoint, typeWords, attempts },
      message: { ...message, inWords: messageState(message.status) },
    });
  });

  route("POST /tenants/:tenantId/webhooks/:webhookId/test", async (context) => {
    const { audited, base } = context;
    const of = placeOf(context);
    return await orTooLate(async () => {
      const { messageId } = await audited(
        (transaction) => testWebhook(transaction, of),
        (sent) =>
          webhookNote("test", of.tenantId, sent.url, { after: { message: sent.messageId } }),
      );
      return redirect(`${base}/webhooks/${of.webhookId}/messages/${messageId}`, "test-sent");
    });
  });

  const RESEND = "POST /tenants/:tenantId/webhooks/:webhookId/messages/:messageId/resend";
  route(RESEND, async (context) => {
    const { audited, base } = context;
    const of = placeOf(context);
    return await orTooLate(async () => {
      const { messageId } = await audited(
        (transaction) => resendWebhookMessage(transaction, of),
        ({ headerId, messageId: copy, url }) =>
          webhookNote("resend", of.tenantId, url, { after: { message: headerId, copy } }),
      );
      return redirect(`${base}/webhooks/${of.webhookId}/messages/${messageId}`, "sent-again");
    });
  });
}
