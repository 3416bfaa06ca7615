import { MAX_DIGEST_ITEM_BYTES, MAX_DIGEST_ITEMS } from "@belfry/contracts/delivery";
import { sql } from "kysely";
import type { Database } from "../connection.ts";
import type { DigestContent } from "./claim-deliveries.ts";

/** What a message of a digest is made of, as a sender gets it; `newest` are the variables of the newest event. */
export async function digestContent(
  db: Database,
  tenantId: string,
  digestId: string,
): Promise<DigestContent & { newest: string | null }> {
  const { rows } = await sql<{
    counted: number;
    items: DigestContent["items"] | null;
    newest: string | null;
  }>`
    select counted, items, newest from digest_content(
      p_digest => ${digestId}, p_tenant => ${tenantId},
      p_most => ${MAX_DIGEST_ITEMS}, p_most_bytes => ${MAX_DIGEST_ITEM_BYTES})`.execute(db);
  const [found] = rows;
  return {
    count: found?.counted ?? 0,
    items: found?.items ?? [],
    newest: found?.newest ?? null,
  };
}
