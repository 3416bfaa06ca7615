import { audited } from "@belfry/administration/audited";
import { refuseFaults } from "@belfry/administration/input-error";
import {
  MAX_REPLAYED,
  type Replayed,
  replayWebhook,
} from "@belfry/administration/webhooks/replay-webhook";
import { webhookNote } from "@belfry/administration/webhooks/webhook-notes";
import { showWebhook, type Webhook } from "@belfry/administration/webhooks/webhooks";
import { type Answer, type Faults, orFaults, page } from "../drawing/answer.ts";
import type { PageDeps } from "../page-deps.ts";
import type { InTenant } from "../router.ts";
import { orTooLate } from "./too-late.ts";

const DAY_MS = 24 * 60 * 60_000;
/** As a browser gives a date and time, in UTC. */
const TYPED = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?$/;

interface ReplayValues {
  since: string;
  until: string;
  which: "missed" | "all";
  /** Where the part before has ended. */
  after?: string | undefined;
}

/** Messages of a time are sent once more; what is more than one request does goes on from where it has ended. */
export function replayPages({ route, db, once }: PageDeps): void {
  const endpointOf = ({ tenant, params }: InTenant): Promise<Webhook> =>
    showWebhook(db, tenant.id, params.webhookId ?? "");

  const show = (
    endpoint: Webhook,
    values: ReplayValues,
    given: { faults?: Faults; values?: ReplayValues; done?: Replayed } = {},
  ): Answer =>
    page("webhook-replay", "Replay", {
      ...{ endpoint, values, faults: {}, most: MAX_REPLAYED },
      ...given,
    });

  route("GET /tenants/:tenantId/webhooks/:webhookId/replay", async (context) => {
    const given = context.query.get("since") ?? "";
    const since = TYPED.test(given) ? given : minuteOf(Date.now() - DAY_MS);
    const values = { since, until: "", which: "missed" } as const;
    return show(await endpointOf(context), values, await once.take(context));
  });

  route("POST /tenants/:tenantId/webhooks/:webhookId/replay", async (context) => {
    const { tenant, actor, form, person, base } = context;
    const endpoint = await endpointOf(context);
    const values = typedReplay(form);
    const { since, until, which } = values;
    return await orFaults(
      () =>
        orTooLate(async () => {
          const input = { tenantId: tenant.id, webhookId: endpoint.id, ...replayInput(values) };
          const done = await audited(
            db,
            actor,
            (transaction) => replayWebhook(transaction, input),
            ({ replayed, url }) =>
              webhookNote("replay", tenant.id, url, { after: { since, until, which, replayed } }),
          );
          const shown = { values: { ...values, after: done.next }, done };
          return await once.show(person, `${base}/webhooks/${endpoint.id}/replay`, shown);
        }),
      (faults) => show(endpoint, values, { faults }),
    );
  });
}

/** As a field has it. */
export function minuteOf(at: number): string {
  return new Date(at).toISOString().slice(0, 16);
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

/** Throws `InvalidInput`. */
function replayInput({ since, until, which, after }: ReplayValues) {
  const message = "must be a date and time";
  refuseFaults([
    TYPED.test(since) ? undefined : { field: "since", message },
    until === "" || TYPED.test(until) ? undefined : { field: "until", message },
  ]);
  return {
    since: `${since}Z`,
    until: until === "" ? undefined : `${until}Z`,
    all: which === "all",
    after,
  };
}
