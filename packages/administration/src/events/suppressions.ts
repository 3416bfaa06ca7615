import { ADDRESSES } from "@belfry/contracts/addresses";
import { type ProviderChannel, sentRow } from "@belfry/contracts/channels";
import { SUPPRESSION_REASONS, type SuppressionReason } from "@belfry/contracts/receipt";
import type { Database } from "@belfry/database/connection";
import { InvalidInput, invalid, requireProviderChannel } from "../input-error.ts";
import { type IsoTimes, isoTimes } from "../iso-times.ts";
import { requireTenant } from "../tenants/require-tenant.ts";
import {
  deleteSuppressions,
  insertSuppressions,
  type SuppressionPlace,
  type SuppressionRow,
  suppressedForm,
  suppressionsOfTenant,
} from "./suppression-rows.ts";

/** An address to which a tenant sends nothing: hard bounces, complaints, opt-outs, and by hand. */
export type Suppression = IsoTimes<SuppressionRow>;

export interface SuppressionInput {
  tenantId: string;
  channel: ProviderChannel;
  /** Email addresses, in any case; or phone numbers, as +12025550123. At most 10,000. */
  addresses: readonly string[];
  /** Default: by hand. */
  reason?: SuppressionReason | undefined;
  /** Who adds it. */
  source?: string | undefined;
}

const PAGE_ROWS = 1_000;
const MAX_ADDRESSES = 10_000;
const MAX_NAMED = 5;

/** In force for every delivery that is claimed from now on. Throws `InvalidInput`, `NotFound`. */
export async function addSuppressions(db: Database, input: SuppressionInput) {
  const { tenantId, channel, reason = "by hand", source = null } = input;
  const addresses = checkedAddresses(input);
  if (!SUPPRESSION_REASONS.includes(reason)) {
    throw invalid("reason", `must be one of ${SUPPRESSION_REASONS.join(", ")}`);
  }
  await requireTenant(db, tenantId);
  const added = await insertSuppressions(db, { tenantId, channel, addresses, reason, source });
  return { added, alreadyThere: addresses.length - added };
}

/** Addresses may be sent to again; the provider may still have lists of its own. Throws as `addSuppressions`. */
export async function removeSuppressions(
  db: Database,
  input: Omit<SuppressionInput, "reason" | "source">,
): Promise<{ removed: number; notThere: number }> {
  const addresses = checkedAddresses(input);
  await requireTenant(db, input.tenantId);
  const removed = await deleteSuppressions(db, input.tenantId, input.channel, addresses);
  return { removed, notThere: addresses.length - removed };
}

/** By channel, address and reason, a page at a time. Throws `NotFound`. */
export async function* suppressionPages(
  db: Database,
  query: { tenantId: string; channel?: ProviderChannel | undefined; pageRows?: number },
): AsyncGenerator<Suppression[]> {
  const { tenantId, channel, pageRows = PAGE_ROWS } = query;
  await requireTenant(db, tenantId);
  let after: SuppressionPlace | undefined;
  for (;;) {
    const rows = await suppressionsOfTenant(db, tenantId, { limit: pageRows, channel, after });
    if (rows.length > 0) {
      yield rows.map(isoTimes);
    }
    after = rows.at(-1);
    if (after === undefined || rows.length < pageRows) return;
  }
}

/** In the form in which they are kept, each once. */
function checkedAddresses({ channel, addresses }: SuppressionInput): string[] {
  requireProviderChannel(channel);
  const { form, read } = ADDRESSES[sentRow(channel).address];
  if (addresses.length === 0 || addresses.length > MAX_ADDRESSES) {
    throw invalid("address", `must hold 1 to ${MAX_ADDRESSES} addresses`);
  }
  // As events are stored: an international domain in its ASCII form.
  const faults = addresses.filter((text) => read(text) === undefined).slice(0, MAX_NAMED);
  if (faults.length > 0) {
    throw new InvalidInput(
      faults.map((text) => ({
        field: "address",
        message: `must be ${form}: ${JSON.stringify(text)}`,
      })),
    );
  }
  return [...new Set(addresses.map((text) => suppressedForm(read(text) ?? text)))];
}
