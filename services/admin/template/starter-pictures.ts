import { NotFound } from "@belfry/administration/input-error";
import { readLayout } from "@belfry/administration/templates/layouts";
import { previewSource } from "@belfry/administration/templates/preview-template";
import { channelsWith } from "@belfry/contracts/channels";
import { PLATFORM } from "@belfry/contracts/identifiers";
import type { Database } from "@belfry/database/connection";
import { STARTERS } from "@belfry/templates/starters";

/** Tenants whose pictures are kept; of each as many as there are starters. */
const MOST_TENANTS = 50;

/** The mails of the starters as a tenant's would look, made once for each version of its layout. */
export function createStarterPictures(db: Database) {
  /** By tenant: of which version of the layout, and what is made or being made, one after another. */
  const kept = new Map<
    string,
    { version: number; made: Map<string, Promise<string>>; last: Promise<unknown> }
  >();

  const [channel] = channelsWith("email");
  if (channel === undefined) throw new Error("no channel sends mails");
  const of = async (tenantId: string, key: string): Promise<string> => {
    const starter = STARTERS.find((one) => one.key === key);
    if (starter === undefined) throw new NotFound("path", "no such example");
    const { version } = tenantId === PLATFORM ? { version: 0 } : await readLayout(db, tenantId);
    const known = kept.get(tenantId);
    const own =
      known?.version === version
        ? known
        : {
            version,
            made: new Map<string, Promise<string>>(),
            last: Promise.resolve<unknown>(undefined),
          };
    kept.delete(tenantId);
    kept.set(tenantId, own);
    if (kept.size > MOST_TENANTS) kept.delete(kept.keys().next().value ?? "");
    const found = own.made.get(key);
    if (found !== undefined) return await found;
    const input = { channel, format: "markdown", ...starter.email } as const;
    // One after another: a tenant has few places in the queue of what is compiled.
    const making = own.last.then(async () => {
      const preview = await previewSource(db, tenantId, input, { ...starter.sampleVariables });
      return preview.kind === "email" ? preview.html : "";
    });
    own.last = making.catch(() => undefined);
    own.made.set(key, making);
    making.catch(() => own.made.delete(key));
    return await making;
  };
  return { of };
}
