import type { NatsLink } from "@belfry/service/nats";

/** To open browsers; resolves when the server has it. Rejects while NATS is not connected. */
export async function publishNow(
  nats: NatsLink | undefined,
  { subject, message }: { subject: string; message: string },
): Promise<void> {
  if (nats === undefined || !nats.isConnected()) throw new Error("NATS is not connected");
  nats.nc.publish(subject, message);
  await nats.nc.flush();
}
