import { runOnce } from "../run-once.ts";
import { runWebhooks, webhookFigures } from "./run-webhooks.ts";

/**
 * `pnpm failure:webhooks`: 20,000 mails and notifications of a tenant whose endpoint wants everything, with kill -9 of
 * each part. A breach: a move has not exactly one message, or a message did not arrive under its id.
 */
await runOnce({ events: 20_000, perSecond: 200 }, async (t, options) => {
  const run = await runWebhooks(t, { ...options, killEveryMs: 2_000, drainMs: 900_000 });
  return { figures: webhookFigures(run), breaches: run.verdict.breaches };
});
