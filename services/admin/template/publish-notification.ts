import { type TestNotification, testMessage } from "@belfry/administration/templates/push-test";
import type { NatsLink } from "@belfry/service/nats";

/** To the user's open browsers; resolves when the server has it. */
export async function publishNotification(
  nats: NatsLink | undefined,
  prefix: string,
  item: TestNotification,
): Promise<void> {
  if (nats === undefined || !nats.isConnected()) throw new Error("NATS is not connected");
  const { subject, message } = testMessage(prefix, item);
  nats.nc.publish(subject, message);
  await nats.nc.flush();
}
