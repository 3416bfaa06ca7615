import { faultsOf, faultText } from "@belfry/contracts/schema-faults";
import { NO_TIME_ZONE } from "@belfry/contracts/time-zone";
import { BatchUser, UsersBatchRequest, UsersBatchResponse } from "@belfry/contracts/users";
import type { Database } from "@belfry/database/connection";
import { Type } from "@sinclair/typebox";
import { defineAct } from "../act.ts";
import { hasTimeZone } from "../tenants/time-zone.ts";
import { saveUsers, USER_INPUT } from "./users.ts";

export const putUsers = defineAct({
  name: "user put-many",
  http: "POST /api/v1/users/batch",
  access: { scope: "tenant", person: "editor", key: "users" },
  effect: "change",
  command: false,
  summary: "Name many users",
  description:
    "The good ones are stored together; a bad one does not hold them up. There is an answer for each.",
  input: Type.Object({ users: UsersBatchRequest.properties.users }),
  output: Type.Object({ results: UsersBatchResponse.properties.results }),
  examples: [
    {
      input: { users: [USER_INPUT, { userId: "user-2", email: "nobody" }] },
      output: {
        results: [
          { userId: "user-1", success: true },
          { userId: "user-2", success: false, message: ["email must be an email address"] },
        ],
      },
    },
  ],
  async run({ db, tenantId }, { users }) {
    const good: BatchUser[] = [];
    const results: UsersBatchResponse["results"] = [];
    for (const item of users) {
      const message = await itemFaults(db, item);
      const { userId } = Object(item) as { userId?: unknown };
      const of = { userId: typeof userId === "string" ? userId : null };
      if (message.length === 0) good.push(item as BatchUser);
      results.push(
        message.length === 0 ? { ...of, success: true } : { ...of, success: false, message },
      );
    }
    await saveUsers(db, tenantId, good);
    return { output: { results }, stored: good.length };
  },
  audit: (_, { stored }) => ({ action: "user.put-many", target: `${stored} users` }),
});

async function itemFaults(db: Database, item: unknown): Promise<string[]> {
  const faults = faultsOf(BatchUser, item, "item", "").map(faultText);
  if (faults.length > 0) return faults;
  const { timezone } = item as BatchUser;
  return !timezone || (await hasTimeZone(db, timezone)) ? [] : [`timezone ${NO_TIME_ZONE}`];
}
