import { reasonOf } from "@belfry/contracts/reasons";
import { Phrase, phrase, say, type Words, written } from "../page/language.ts";
import { counted } from "../page/words.ts";
import { type Place, reasonText, toldRow } from "./own-reasons.ts";
import { MAIL_STATUS, SMTP_REPLIES, VENDOR_CODES } from "./vendor-codes.ts";

/** Facts about a channel on which nothing arrived. */
export interface Told {
  status: string;
  /** The reason as it is stored. */
  reason?: string | null | undefined;
  /** The provider's last answer: to an attempt, or a later one about a message that the provider had accepted. */
  vendor?: VendorWords | undefined;
  /** The number of attempts. */
  tries?: number | undefined;
}

export interface VendorWords {
  /** The provider's kind. */
  provider: string;
  /** Our reason, as it is stored; null for a receipt. */
  reason: string | null;
  /** The vendor's code: an HTTP status, an SMTP reply, an enhanced status code, or a code of its own. */
  vendorStatus: string | null;
  /** The stored part of the vendor's answer, or the words of its receipt. */
  vendorAnswer?: string | null | undefined;
}

export interface WhyNot {
  /** A whole sentence, for a product manager. */
  sentence: Phrase;
  /** The page with more information. */
  look?: Place | undefined;
}

/** The first words of the sentence, by status. With other statuses the message has arrived, or still may. */
const BEGINNINGS: Readonly<Record<string, Phrase>> = {
  skipped: say`Not sent`,
  failed: say`Not delivered`,
  expired: say`Not sent`,
  bounced: say`Not delivered`,
  complained: say`Delivered, and marked as spam`,
  unknown: say`Perhaps delivered`,
  discarded: say`Failed`,
};
/** Statuses from receipts. Their reasons are always the vendor's words, even if they look like ours. */
const OF_VENDORS = ["bounced", "complained"];

/** Returns why something did not arrive, as a plain sentence; undefined if it did arrive or still may. */
export function whyNot({ status, reason, vendor, tries = 0 }: Told): WhyNot | undefined {
  const beginning = BEGINNINGS[status];
  if (beginning === undefined) return undefined;
  const exhausted = reasonOf(reason);
  const isOver = exhausted?.code === "retries-exhausted";
  const told = (isOver ? exhausted.args.why : reason) ?? "";
  const known = meaningOf(status, told, vendor);
  const says = known?.says ?? (told === "" ? (UNSAID[status] ?? status) : reasonText(told));
  const sentence = say`${beginning}: ${withoutDot(says)}.`;
  const often = isOver && tries > 1;
  return {
    sentence: often ? say`${sentence} There were ${counted(tries, "attempt")}.` : sentence,
    look: known?.look,
  };
}

function withoutDot(words: Words): Phrase {
  return new Phrase((language) => written(words, language).replace(/\.$/, ""));
}

/** Words for statuses that are stored without a reason. */
const UNSAID: Readonly<Record<string, Phrase>> = {
  bounced: say`the provider reported a bounce without a reason`,
  complained: say`the recipient marked it as spam`,
  discarded: say`it was discarded by a person`,
};

type Meaning = { says: Phrase; look?: Place | undefined } | undefined;

function meaningOf(status: string, told: string, vendor: Told["vendor"]): Meaning {
  if (status === "complained") return undefined;
  if (OF_VENDORS.includes(status)) return vendor && ofVendor(vendor);
  const reason = reasonOf(told);
  const own = reason && toldRow(reason);
  if (own !== undefined || status === "skipped") return own;
  return vendor && ofVendor(vendor);
}

function ofVendor(vendor: VendorWords): Meaning {
  const row = codeRow(vendor);
  return row && { says: phrase(row.says), look: row.look };
}

/** Returns the meaning of the vendor's code: a code of its own, an enhanced status code anywhere, or an SMTP reply. */
function codeRow({ provider, reason, vendorStatus, vendorAnswer }: VendorWords) {
  const own = VENDOR_CODES[provider] ?? {};
  for (const code of [vendorStatus, vendorAnswer]) {
    if (code != null && Object.hasOwn(own, code)) return own[code];
  }
  for (const text of [vendorStatus, vendorAnswer]) {
    const code = /(?:^|[^\d.])[45]\.(\d\.\d{1,3})(?![\d.])/.exec(text ?? "")?.[1];
    if (code !== undefined && Object.hasOwn(MAIL_STATUS, code)) return MAIL_STATUS[code];
  }
  const answered = reasonOf(reason);
  if (answered?.code !== "mail-server-answered") return undefined;
  return SMTP_REPLIES[`${vendorStatus} ${answered.args.step}`] ?? SMTP_REPLIES[vendorStatus ?? ""];
}
