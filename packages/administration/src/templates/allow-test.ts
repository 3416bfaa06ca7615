import { hash } from "node:crypto";
import { type Channel, isProviderChannel } from "@belfry/contracts/channels";
import type { Database } from "@belfry/database/connection";
import { suppressionReason } from "../events/suppression-rows.ts";
import { type InvalidInput, invalid } from "../input-error.ts";
import { takeTry } from "../people/sign-in-tries.ts";
import { tenantNotFound } from "../tenants/require-tenant.ts";
import { takeEvent } from "../tenants/take-event.ts";
import { tenantById } from "../tenants/tenant-rows.ts";

/** Tests of a tenant, over all doors and replicas: a person who tries something out, and no sender. */
const MOST_TESTS = 30;
const WINDOW_SECONDS = 15 * 60;

export interface TestToSend {
  tenantId: string;
  channel: Channel;
  /** As it is sent to: an address, or a user's id. */
  recipient: string;
}

/**
 * Lets a test message leave only where an event's would: the tenant is active, has the channel, and has
 * not suppressed the recipient. It counts like an event of the tenant, and there are few of them. Throws
 * `InvalidInput`, `NotFound`.
 */
export async function allowTest(db: Database, test: TestToSend): Promise<void> {
  const { tenantId, channel, recipient } = test;
  const tenant = await tenantById(db, tenantId);
  if (tenant === undefined) throw tenantNotFound(tenantId, "tenantId");
  if (!tenant.active) throw refused("cannot be sent: the tenant is not active");
  if (tenant.deliveryChannels.length > 0 && !tenant.deliveryChannels.includes(channel)) {
    throw refused(`cannot be sent: the tenant may not use ${channel}`);
  }
  const reason = isProviderChannel(channel)
    ? await suppressionReason(db, tenantId, channel, recipient)
    : undefined;
  if (reason !== undefined) throw refused(`${recipient} is suppressed (${reason})`);
  const waitSeconds = await takeTry(
    db,
    [{ key: hash("sha256", `test ${tenantId}`, "buffer"), most: MOST_TESTS }],
    WINDOW_SECONDS,
  );
  if (waitSeconds > 0) {
    throw refused(
      `cannot be sent: ${MOST_TESTS} tests in ${WINDOW_SECONDS / 60} minutes were made; wait ${waitSeconds} s`,
    );
  }
  if (!(await takeEvent(db, tenantId))) {
    throw refused("cannot be sent: the tenant's limit of events per minute or per day is reached");
  }
}

function refused(message: string): InvalidInput {
  return invalid("to", message);
}
