import { releaseDigest, releaseNote, showDigest } from "@belfry/administration/events/digests";
import { sentContent } from "@belfry/administration/events/sent-content";
import { InvalidInput } from "@belfry/administration/input-error";
import { isChannel } from "@belfry/contracts/channels";
import { page, redirect } from "../drawing/answer.ts";
import type { PageDeps } from "../page-deps.ts";
import { contentHeading } from "./content-heading.ts";

/** A message that gathers events: what is in it, until when, and what became of it. */
export function digestPages({ route, db }: PageDeps): void {
  const show = async (tenantId: string, id: string, fault?: string) => {
    const digest = await showDigest(db, tenantId, id);
    const content =
      digest.delivery !== null && digest.count > 0 && isChannel(digest.channel)
        ? await sentContent(db, tenantId, digest.id, digest.channel)
        : undefined;
    const { delivery } = digest;
    const heading = delivery === null ? "" : contentHeading({ status: delivery.status });
    return page("digest", digest.eventType, { digest, content, heading, fault });
  };

  route("GET /tenants/:tenantId/digests/:digestId", ({ tenant, params }) =>
    show(tenant.id, params.digestId ?? ""),
  );

  route("POST /tenants/:tenantId/digests/:digestId/release", async (context) => {
    const { tenant, params, audited, base } = context;
    const id = params.digestId ?? "";
    try {
      await audited(
        (transaction) => releaseDigest(transaction, tenant.id, id),
        (released) => releaseNote(tenant.id, released),
      );
      return redirect(`${base}/digests/${id}`, "digest-released");
    } catch (error) {
      if (!(error instanceof InvalidInput)) throw error;
      const answer = await show(tenant.id, id, `The message ${error.faults[0]?.message}.`);
      return answer.kind === "page" ? { ...answer, status: 422 } : answer;
    }
  });
}
