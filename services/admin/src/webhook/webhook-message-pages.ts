import { refuseFaults, TooLate } from "@belfry/administration/input-error";
import {
  MAX_REPLAYED,
  type Replayed,
  replayWebhook,
  resendWebhookMessage,
  testWebhook,
} from "@belfry/administration/webhooks/send-webhook-message";
import { webhookMessage } from "@belfry/administration/webhooks/webhook-messages";
import { showWebhook } from "@belfry/administration/webhooks/webhooks";
import type { Webhook } from "@belfry/contracts/webhook-endpoints";
import { type Answer, type Faults, orFaults, page, redirect, withStatus } from "../page/answer.ts";
import { faultWords } from "../page/fault-words.ts";
import { fieldMoment, readMoment, readMoments } from "../page/form-fields.ts";
import { say, type Words } from "../page/language.ts";
import type { PageDeps } from "../page/page-deps.ts";
import type { InTenant } from "../page/router.ts";
import { messageState, typeWords } from "./webhook-words.ts";

/**
 * Registers the page of one message to an endpoint with its attempts. Test messages and resent copies are messages,
 * too.
 */
export function webhookMessagePages({ route }: PageDeps): void {
  const MESSAGE = "/tenants/:tenantId/webhooks/:webhookId/messages/:messageId";
  const showMessage = async ({ run, params }: InTenant, fault?: Words): Promise<Answer> => {
    const { webhookId = "", messageId = "" } = params;
    const endpoint = await run(showWebhook, { webhookId });
    const { message, payload, attempts } = await run(webhookMessage, { webhookId, messageId });
    return page("webhook-message", message.type, {
      endpoint,
      typeWords,
      attempts,
      fault,
      message: { ...message, payload, inWords: messageState(message.status) },
    });
  };

  route(`GET ${MESSAGE}`, (context) => showMessage(context));

  route("POST /tenants/:tenantId/webhooks/:webhookId/test", async ({ run, params, base }) => {
    const { webhookId = "" } = params;
    return await orTooLate(async () => {
      const { messageId } = await run(testWebhook, { webhookId });
      return redirect(`${base}/webhooks/${webhookId}/messages/${messageId}`, "test-sent");
    });
  });

  route(`POST ${MESSAGE}/resend`, async (context) => {
    const { run, params, base } = context;
    const { webhookId = "", messageId = "" } = params;
    try {
      const copy = await run(resendWebhookMessage, { webhookId, messageId });
      return redirect(`${base}/webhooks/${webhookId}/messages/${copy.messageId}`, "sent-again");
    } catch (error) {
      if (!(error instanceof TooLate)) throw error;
      return withStatus(
        409,
        await showMessage(context, say`Nothing was sent: ${faultWords(error.message)}.`),
      );
    }
  });
}

const DAY_MS = 24 * 60 * 60_000;

interface ReplayValues {
  since: string;
  until: string;
  which: "missed" | "all";
  /** The end of the replay's previous part; undefined for the first part. */
  after?: string | undefined;
}

/**
 * Registers the page that replays the messages of a time span. A long replay takes several requests, one for each part.
 */
export function replayPages({ route, once }: PageDeps): void {
  const endpointOf = ({ run, params }: InTenant): Promise<Webhook> =>
    run(showWebhook, { webhookId: params.webhookId ?? "" });

  const showReplay = (
    endpoint: Webhook,
    values: ReplayValues,
    given: { faults?: Faults; values?: ReplayValues; done?: Replayed } = {},
  ): Answer =>
    page("webhook-replay", say`Replay`, {
      endpoint,
      values,
      faults: {},
      most: MAX_REPLAYED,
      ...given,
    });

  route("GET /tenants/:tenantId/webhooks/:webhookId/replay", async (context) => {
    const given = context.query.get("since") ?? "";
    const since = fieldMoment(readMoment(given) ?? Date.now() - DAY_MS);
    const values = { since, until: "", which: "missed" } as const;
    return showReplay(await endpointOf(context), values, await once.take(context));
  });

  route("POST /tenants/:tenantId/webhooks/:webhookId/replay", async (context) => {
    const { run, form, person, base } = context;
    const endpoint = await endpointOf(context);
    const typed = typedReplay(form);
    const { since: from, until: to } = typed;
    const { shown, moments, faults: unread } = readMoments({ since: from, until: to });
    if (from === "") unread.since = "must be a date and time";
    const values = { ...typed, ...shown };
    return await orFaults(
      () =>
        orTooLate(async () => {
          refuseFaults(Object.entries(unread).map(([field, message]) => ({ field, message })));
          const since = moments.since?.toISOString() ?? "";
          const until = moments.until?.toISOString();
          const { which, after } = values;
          const window = { since, until, all: which === "all", after };
          const done = await run(replayWebhook, { webhookId: endpoint.id, ...window });
          const shown = { values: { ...values, after: done.next }, done };
          return await once.show(person, `${base}/webhooks/${endpoint.id}/replay`, shown);
        }),
      (faults) => showReplay(endpoint, values, { faults }),
    );
  });
}

function typedReplay(form: URLSearchParams): ReplayValues {
  const after = form.get("after") ?? "";
  return {
    since: (form.get("since") ?? "").trim(),
    until: (form.get("until") ?? "").trim(),
    which: form.get("which") === "all" ? "all" : "missed",
    after: after === "" ? undefined : after,
  };
}

/** Makes a change, or shows why the message cannot be sent in the present state of the endpoint or message. */
async function orTooLate(change: () => Promise<Answer>): Promise<Answer> {
  try {
    return await change();
  } catch (error) {
    if (!(error instanceof TooLate)) throw error;
    const text = say`Nothing was sent: ${faultWords(error.message)}.`;
    return page("message", say`Not possible now`, { text }, 409);
  }
}
