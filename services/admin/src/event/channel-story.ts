import type { DeliveryEvidence, EventEvidence } from "@belfry/administration/events/event-evidence";
import type { EventReport } from "@belfry/administration/events/event-report";
import { CHANNEL_ROWS, type Channel } from "@belfry/contracts/channels";
import type { ChannelReport } from "@belfry/contracts/event-report";
import { PROVIDER_KINDS } from "@belfry/providers/kinds";
import { mayDo, type Role } from "../page/access.ts";
import { type Phrase, say, type Words } from "../page/language.ts";
import { shortTitle, term } from "../page/words.ts";
import { isMeant, type Place } from "./own-reasons.ts";
import { whyNot } from "./why-not.ts";

/** The part of an event's page about one channel. */
export interface ChannelStory {
  channel: Channel;
  report: ChannelReport;
  /** Whether the event was meant for this channel. */
  isMeant: boolean;
  /** The reason as it is stored. */
  reason: string | null | undefined;
  /** The outcome in a plain sentence; undefined while the message waits or is being sent. */
  sentence: Phrase | undefined;
  /** The address to which it was sent, or would have been. */
  recipient: string | null;
  /** The vendors' answers, newest first. */
  said: VendorSaid[];
  links: { href: string; text: Phrase }[];
}

export interface VendorSaid {
  at: Date;
  /** Number of the attempt; undefined for a receipt. */
  number: number | undefined;
  provider: string;
  /** Link to the provider's account, for people who may open it. */
  href: string | undefined;
  /** The vendor's code. */
  status: string | null;
  reason: Words | null;
  /** Undefined if there is no answer; null if the answer may repeat content of a sensitive template. */
  answer: string | null | undefined;
}

interface Reader {
  base: string;
  role: Role;
}

export interface Evidence extends EventEvidence {
  /** Stored reasons by channel. */
  reasons: Partial<Record<Channel, string | null>>;
}

/** Returns an event's channels: first those where it did not arrive, last those that it was not meant for. */
export function channelStories(event: EventReport, evidence: Evidence, reader: Reader) {
  const all = Object.entries(event.channels) as [Channel, ChannelReport][];
  const stories = all.map(([channel, report]) => storyOf(event, channel, report, evidence, reader));
  return stories.toSorted((a, b) => rank(a) - rank(b));
}

/**
 * Returns the place of a channel: 0 if the message failed, 1 if it was skipped, 2 if it is sent or will be, 3 if not
 * meant.
 */
function rank({ report: { status }, isMeant }: ChannelStory): number {
  if (status === "skipped") return isMeant ? 1 : 3;
  return ["accepted", "delivered", "published", "queued", "sending", "waiting"].includes(status)
    ? 2
    : 0;
}

function storyOf(
  event: EventReport,
  channel: Channel,
  report: ChannelReport,
  { deliveries, templates, isSensitive, reasons }: Evidence,
  reader: Reader,
): ChannelStory {
  const delivery = report.delivery && deliveries.get(report.delivery.id);
  const recipient = delivery?.recipient ?? addressOf(event, channel);
  const hides = isSensitive || (delivery !== undefined && delivery.templateId === null);
  const said = delivery === undefined ? [] : vendorsSaid(delivery, reader, hides);
  const words = delivery && lastWords(delivery, report.status);
  const { status } = report;
  const reason = reasons[channel];
  const tries = delivery?.tries.length;
  const why = whyNot({ status, reason, vendor: words, tries });
  const template = templates.find((one) => one.channel === channel);
  const ways = waysOf({ event, recipient, delivery, reader, templateId: template?.id });
  const links = new Map<string, Phrase>();
  if (delivery?.dead) {
    const { class: wanted, provider } = delivery.dead;
    const choice = new URLSearchParams({ channel, class: wanted, ...(provider && { provider }) });
    links.set(`${reader.base}/dead-letters?${choice}`, say`The dead letter`);
  }
  if (why?.look !== undefined) links.set(...ways[why.look]);
  if (delivery?.templateId && delivery.templateOf === event.tenantId) {
    const { templateId, version } = delivery;
    links.set(
      `${reader.base}/templates/${templateId}/versions?version=${version}`,
      say`Template, version ${version}`,
    );
  } else if (template !== undefined) links.set(...ways.templates);
  if (isInSandbox(report)) links.set(`${reader.base}/outbox`, say`The sandbox message`);
  return {
    channel,
    report,
    reason,
    recipient,
    said,
    isMeant: isMeant(reason),
    sentence: why?.sentence ?? arrival(report),
    links: [...links].map(([href, text]) => ({ href, text })),
  };
}

/** Returns a sentence about a message that was sent; undefined if it was not. */
function arrival(report: ChannelReport): Phrase | undefined {
  const { status, delivery, notification } = report;
  if (isInSandbox(report)) {
    return say`Caught by the sandbox: see the sandbox messages. It was not really sent.`;
  }
  const provider = vendorName(delivery?.provider);
  if (status === "accepted") {
    return say`Sent: accepted by ${provider}, which has not reported delivery yet.`;
  }
  if (status === "delivered") return say`Delivered, as reported by ${provider}.`;
  if (notification === undefined) return undefined;
  return notification.read ? say`In the inbox, and read.` : say`In the inbox, not read yet.`;
}

function isInSandbox({ status, delivery }: ChannelReport): boolean {
  return status === "accepted" && delivery?.provider === "sandbox";
}

function vendorName(kind: string | null | undefined): Words {
  if (kind === "smtp") return say`the mail server`;
  const row = Object.values(PROVIDER_KINDS)
    .flat()
    .find((one) => one.kind === kind);
  return row === undefined ? say`the provider` : shortTitle(row.title);
}

/** Returns the words that explain the delivery's state: those of the receipt that set it, or of the last attempt. */
function lastWords({ tries, receipts }: DeliveryEvidence, status: string) {
  const receipt = receipts.findLast(({ kind }) => kind === status);
  if (receipt === undefined) return tries.findLast((one) => one.class !== null);
  return { ...receipt, reason: null, vendorAnswer: receipt.reason };
}

function vendorsSaid(
  { tries, receipts }: DeliveryEvidence,
  { base, role }: Reader,
  hides: boolean,
): VendorSaid[] {
  const accountOf = (id: string | null) =>
    id === null ? undefined : `${base}/providers${mayDo(role, "owner") ? `/${id}` : ""}`;
  const ofTries = tries
    .filter((one) => one.class !== null)
    .map((one): VendorSaid => {
      const { startedAt: at, number, provider, providerName, reason, vendorStatus: status } = one;
      const answer = one.vendorAnswer === null ? undefined : hides ? null : one.vendorAnswer;
      const href = accountOf(one.providerId);
      return { at, number, provider: providerName ?? provider, href, status, reason, answer };
    });
  const ofReceipts = receipts.map(({ at, kind, provider, reason, vendorStatus: status }) => ({
    at,
    number: undefined,
    provider,
    href: undefined,
    status,
    reason: term(kind),
    answer: reason === null ? undefined : hides ? null : reason,
  }));
  return [...ofTries, ...ofReceipts].toSorted((a, b) => b.at.getTime() - a.at.getTime());
}

function addressOf(event: EventReport, channel: Channel): string | null {
  const { address } = CHANNEL_ROWS[channel];
  if (address === null) return null;
  return event[address];
}

interface Ways {
  event: EventReport;
  recipient: string | null;
  delivery: DeliveryEvidence | undefined;
  reader: Reader;
  templateId: string | undefined;
}

/** Returns links to pages with more information. Each role gets only pages that it may open. */
function waysOf(ways: Ways): Readonly<Record<Place, [href: string, text: Phrase]>> {
  const { event, recipient, delivery, reader, templateId } = ways;
  const { base, role } = reader;
  const providerId = delivery?.tries.findLast((one) => one.providerId !== null)?.providerId;
  const account = providerId && mayDo(role, "owner") ? `/${providerId}` : "";
  const search = new URLSearchParams({ search: recipient ?? "" });
  return {
    templates: [
      `${base}/templates${templateId === undefined ? "" : `/${templateId}`}`,
      say`The template`,
    ],
    providers: [
      `${base}/providers${account}`,
      account === "" ? say`The providers` : say`The provider`,
    ],
    suppressions: [`${base}/suppressions?${search}`, say`The suppression`],
    user: [`${base}/users?user=${encodeURIComponent(event.userId)}`, say`The user`],
    tenant: [`${base}/settings`, say`Channels of the tenant`],
  };
}
