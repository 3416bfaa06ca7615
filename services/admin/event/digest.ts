import { releaseDigest, showDigest } from "@belfry/administration/events/digests";
import { sentContent } from "@belfry/administration/events/sent-content";
import { isChannel } from "@belfry/contracts/channels";
import { orFaults, page, redirect } from "../page/answer.ts";
import type { PageDeps } from "../page/page-deps.ts";
import type { InTenant } from "../page/router.ts";
import { contentHeading } from "./content-heading.ts";

/** A message that gathers events: what is in it, until when, and what became of it. */
export function digestPages({ route, db }: PageDeps): void {
  const show = async ({ tenant, params, run }: InTenant, fault?: string) => {
    const digest = await run(showDigest, { id: params.digestId ?? "" });
    const content =
      digest.delivery !== null && digest.count > 0 && isChannel(digest.channel)
        ? await sentContent(db, tenant.id, digest.id, digest.channel)
        : undefined;
    const { delivery } = digest;
    const heading = delivery === null ? "" : contentHeading({ status: delivery.status });
    return page("digest", digest.eventType, { digest, content, heading, fault });
  };

  route("GET /tenants/:tenantId/digests/:digestId", (context) => show(context));

  route("POST /tenants/:tenantId/digests/:digestId/release", async (context) => {
    const { params, run, base } = context;
    const id = params.digestId ?? "";
    return await orFaults(
      async () => {
        await run(releaseDigest, { id });
        return redirect(`${base}/digests/${id}`, "digest-released");
      },
      (faults) => show(context, `The message ${faults.id}.`),
    );
  });
}
