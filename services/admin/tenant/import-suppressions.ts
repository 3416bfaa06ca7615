import { importSuppressions } from "@belfry/administration/events/import-suppressions";
import type { InputFault } from "@belfry/administration/input-error";
import { PROVIDER_CHANNELS, type ProviderChannel } from "@belfry/contracts/channels";
import { orFaults, page } from "../page/answer.ts";
import type { PageDeps } from "../page/page-deps.ts";
import type { InTenant } from "../page/router.ts";

/** Many addresses at once: all of a list, or, where somebody says so, those of its lines that are good. */
export function importSuppressionPages({ route, once }: PageDeps): void {
  const show = async (_context: InTenant, extra: object = {}) =>
    page("suppressions-import", "Suppress many addresses", {
      ...{ lines: "", channel: PROVIDER_CHANNELS[0], faults: [], done: undefined },
      ...{ channels: PROVIDER_CHANNELS, leaveOutBad: false, ...extra },
    });

  route("GET /tenants/:tenantId/suppressions/import", async (context) =>
    show(context, await once.take(context)),
  );

  route("POST /tenants/:tenantId/suppressions/import", async (context) => {
    const { form, run, person, base } = context;
    const lines = form.get("lines") ?? "";
    const channel = (form.get("channel") ?? "") as ProviderChannel;
    const leaveOutBad = form.has("leaveOutBad");
    return await orFaults(
      async () => {
        const done = await run(importSuppressions, { channel, leaveOutBad, file: lines });
        return await once.show(person, `${base}/suppressions/import`, { done, channel });
      },
      (_, faults: readonly InputFault[]) => show(context, { lines, channel, leaveOutBad, faults }),
    );
  });
}
