import type { ProviderChannel } from "@belfry/contracts/channels";
import type { AnyProviderKind } from "./provider.ts";
import { sandboxEmail, sandboxText } from "./sandbox.ts";
import { sendgrid } from "./sendgrid.ts";
import { smtp } from "./smtp.ts";
import { twilio } from "./twilio.ts";
import { vonage } from "./vonage.ts";

export { checkSettings, maskSettings } from "./settings.ts";

/** Every provider there is, by the channel that it serves: the one place that names them. */
export const PROVIDER_KINDS: Readonly<Record<ProviderChannel, readonly AnyProviderKind[]>> = {
  EMAIL: [sendgrid, smtp, sandboxEmail],
  SMS: [vonage, twilio, sandboxText],
};

export function providerKind(channel: ProviderChannel, kind: string): AnyProviderKind | undefined {
  return PROVIDER_KINDS[channel].find((row) => row.kind === kind);
}
