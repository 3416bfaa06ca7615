import { firstOperatorToken } from "@belfry/administration/people/invitations";
import { createDatabase, createPool } from "@belfry/database/connection";
import type { LocalJson } from "./home-folder.ts";

/** Makes whoever opens it the first operator of this stack; undefined when there is one. */
export async function operatorLink(local: Pick<LocalJson, "adminUrl" | "databaseUrl">) {
  const db = createDatabase(
    createPool({ url: local.databaseUrl, applicationName: "belfry-local", maxConnections: 1 }),
  );
  try {
    const token = await firstOperatorToken(db);
    return token === undefined ? undefined : `${local.adminUrl}/join/${token}`;
  } finally {
    await db.destroy();
  }
}
