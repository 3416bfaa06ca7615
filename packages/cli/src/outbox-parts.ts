import { tenantOfMessage } from "@belfry/administration/events/outbox";
import type { OwnParts } from "./act-command.ts";

export const outboxParts: OwnParts = {
  parts: {
    // Whoever has the database may name a message by its id alone.
    "outbox show": {
      define: (command) => command.option("--tenant <id>", "the tenant's id"),
      input: async ({ tenant }, { db }, [id = ""]) => ({
        tenantId: tenant ?? (await tenantOfMessage(db, id)),
      }),
    },
  },
};
