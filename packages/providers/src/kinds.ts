import type { ProviderChannel } from "@belfry/contracts/channels";
import { apns } from "./apns.ts";
import { bird } from "./bird.ts";
import { brevo } from "./brevo.ts";
import { chatHttp } from "./chat-http.ts";
import { discord } from "./discord.ts";
import { fcm } from "./fcm.ts";
import { httpEmail, httpText } from "./http.ts";
import { mailgun } from "./mailgun.ts";
import { mattermost } from "./mattermost.ts";
import { pagerduty } from "./pagerduty.ts";
import { plivo } from "./plivo.ts";
import { postmark } from "./postmark.ts";
import type { AnyProviderKind } from "./provider.ts";
import type { InboundReader, ReceiptReader } from "./receipt.ts";
import { resend } from "./resend.ts";
import { sandboxChat, sandboxDevice, sandboxEmail, sandboxText } from "./sandbox.ts";
import { sendgrid } from "./sendgrid.ts";
import { ses } from "./ses.ts";
import { slack } from "./slack.ts";
import { smtp } from "./smtp.ts";
import { sns } from "./sns.ts";
import { teams } from "./teams.ts";
import { telegram } from "./telegram.ts";
import { telnyx } from "./telnyx.ts";
import { twilio } from "./twilio.ts";
import { vonage } from "./vonage.ts";
import { webpush } from "./webpush.ts";

export { checkSettings, maskSettings } from "./settings.ts";

/** Every kind of provider, by the channel that it serves. No other file lists them. */
export const PROVIDER_KINDS: Readonly<Record<ProviderChannel, readonly AnyProviderKind[]>> = {
  EMAIL: [sendgrid, ses, postmark, mailgun, resend, brevo, smtp, httpEmail, sandboxEmail],
  SMS: [vonage, twilio, plivo, telnyx, bird, sns, httpText, sandboxText],
  DEVICE: [webpush, fcm, apns, sandboxDevice],
  CHAT: [slack, teams, discord, mattermost, telegram, pagerduty, chatHttp, sandboxChat],
};

export function providerKind(channel: ProviderChannel, kind: string): AnyProviderKind | undefined {
  return PROVIDER_KINDS[channel].find((row) => row.kind === kind);
}

/** Readers of the providers' webhooks: delivery receipts, and replies from recipients. */
export const RECEIPT_READERS: readonly ReceiptReader[] = readers("receipts");
export const INBOUND_READERS: readonly InboundReader[] = readers("inbound");

export function receiptReader(kind: string): ReceiptReader | undefined {
  return RECEIPT_READERS.find((reader) => reader.kind === kind);
}

export function inboundReader(kind: string): InboundReader | undefined {
  return INBOUND_READERS.find((reader) => reader.kind === kind);
}

function readers<Name extends "receipts" | "inbound">(name: Name) {
  const kinds = Object.values(PROVIDER_KINDS).flat();
  return kinds.map((kind) => kind[name]).filter((reader) => reader !== undefined);
}
