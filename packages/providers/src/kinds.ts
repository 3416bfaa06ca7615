import type { EmailMessage, SmsMessage } from "@belfry/contracts/sending";
import type { ProviderKind } from "./provider.ts";
import { sandboxEmail, sandboxSms } from "./sandbox.ts";
import { sendgrid } from "./sendgrid.ts";
import { smtp } from "./smtp.ts";
import { twilio } from "./twilio.ts";
import { vonage } from "./vonage.ts";

export { checkSettings, maskSettings } from "./settings.ts";

const EMAIL_KINDS: readonly ProviderKind<EmailMessage>[] = [sendgrid, smtp, sandboxEmail];
const SMS_KINDS: readonly ProviderKind<SmsMessage>[] = [vonage, twilio, sandboxSms];

/** Every provider there is: the one place that names them. */
export const PROVIDER_KINDS = [...EMAIL_KINDS, ...SMS_KINDS];

export function providerKind(
  channel: "EMAIL",
  kind: string,
): ProviderKind<EmailMessage> | undefined;
export function providerKind(channel: "SMS", kind: string): ProviderKind<SmsMessage> | undefined;
export function providerKind(
  channel: "EMAIL" | "SMS",
  kind: string,
): ProviderKind<EmailMessage> | ProviderKind<SmsMessage> | undefined;
export function providerKind(channel: "EMAIL" | "SMS", kind: string) {
  return PROVIDER_KINDS.find((row) => row.channel === channel && row.kind === kind);
}
