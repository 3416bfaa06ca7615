import { audited } from "@belfry/administration/audited";
import {
  DEAD_CLASSES,
  type DeadLetterFilter,
  type DeadLetters,
  discardDeadLetters,
  listDeadLetters,
  newestDeadLetters,
  replayDeadLetters,
} from "@belfry/administration/dead-letters";
import { UUID } from "@belfry/contracts/identifiers";
import { type Answer, page, redirect } from "../answer.ts";
import type { PageDeps } from "../page-deps.ts";
import type { InTenant } from "../router.ts";

const PAGE = 50;

/** What was not delivered and waits for a person: by class, one or a group, with a dry run. */
export function deadLetterPages({ route, db }: PageDeps): void {
  const show = async ({ tenant, query }: InTenant, extra: object = {}): Promise<Answer> => {
    const filter = filterOf(query, tenant.id);
    const [groups, letters] = await Promise.all([
      listDeadLetters(db, { tenantId: tenant.id }),
      newestDeadLetters(db, filter, PAGE),
    ]);
    return page("dead-letters", "Dead letters", {
      groups,
      letters,
      filter,
      classes: DEAD_CLASSES,
      dryRun: undefined,
      ...extra,
    });
  };

  route("GET /tenants/:tenantId/dead-letters", (context) => show(context));

  route("POST /tenants/:tenantId/dead-letters/replay", async (context) => {
    const { tenant, form, actor, base } = context;
    const letters = lettersOf(form, tenant.id);
    if (form.has("dryRun")) {
      const dryRun = await replayDeadLetters(db, letters, { dryRun: true });
      return await show(context, { dryRun: { ...dryRun, fields: fieldsOf(form) } });
    }
    // In batches of its own, each a transaction: a large replay may not hold the rest up.
    await audited(
      db,
      actor,
      () => replayDeadLetters(db, letters),
      ({ count, refused }) => ({
        tenantId: tenant.id,
        action: "dead-letter.replay",
        target: targetOf(form),
        after: { count, refused: refused.length },
      }),
    );
    return redirect(`${base}/dead-letters`, "replayed");
  });

  route("POST /tenants/:tenantId/dead-letters/discard", async (context) => {
    const { tenant, form, actor, base } = context;
    await audited(
      db,
      actor,
      () => discardDeadLetters(db, lettersOf(form, tenant.id)),
      ({ count }) => ({
        tenantId: tenant.id,
        action: "dead-letter.discard",
        target: targetOf(form),
        after: { count },
      }),
    );
    return redirect(`${base}/dead-letters`, "discarded");
  });
}

function lettersOf(form: URLSearchParams, tenantId: string): DeadLetters {
  const ids = form.getAll("id").filter((id) => UUID.test(id));
  return form.has("id") ? { ids, tenantId } : filterOf(form, tenantId);
}

function filterOf(given: URLSearchParams, tenantId: string): DeadLetterFilter {
  const channel = given.get("channel");
  const wanted = DEAD_CLASSES.find((one) => one === given.get("class"));
  const provider = given.get("provider") ?? "";
  return {
    tenantId,
    channel: channel === "EMAIL" || channel === "SMS" ? channel : undefined,
    class: wanted,
    provider: /^[a-z0-9-]{1,32}$/.test(provider) ? provider : undefined,
  };
}

/** The same choice once more, for the form that follows a dry run. */
function fieldsOf(form: URLSearchParams): Record<string, string> {
  const chosen = ["channel", "class", "provider"].map((name) => [name, form.get(name) ?? ""]);
  return Object.fromEntries(chosen.filter(([, value]) => value !== ""));
}

function targetOf(form: URLSearchParams): string {
  const id = form.get("id");
  return id ?? (Object.values(fieldsOf(form)).join(" ") || "all");
}
