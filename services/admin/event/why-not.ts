import { OWN_REASONS, type Place } from "./own-reasons.ts";
import { type CodeRow, MAIL_STATUS, SMTP_REPLIES, VENDOR_CODES } from "./vendor-codes.ts";

/** What is known of a channel on which nothing arrived. */
export interface Told {
  status: string;
  reason?: string | null | undefined;
  /** What a provider said last: of a try, or later of a message that it had taken. */
  vendor?: VendorWords | undefined;
  /** How often it was tried. */
  tries?: number | undefined;
}

export interface VendorWords {
  /** The provider's kind. */
  provider: string;
  /** One sentence of ours, or, of a receipt, the vendor's own. */
  reason: string | null;
  /** Its code: an HTTP status, an SMTP reply, an enhanced status code, or one of its own. */
  vendorStatus: string | null;
  /** Its answer, as far as it is kept. */
  vendorAnswer?: string | null | undefined;
}

export interface WhyNot {
  /** A whole sentence, for a product manager. */
  sentence: string;
  /** Where to look next. */
  look?: Place | undefined;
}

/** How the sentence begins; a status that is not here has arrived, or still may. */
const BEGINNINGS: Readonly<Record<string, string>> = {
  skipped: "Not sent",
  failed: "Not delivered",
  expired: "Not sent",
  bounced: "Not delivered",
  complained: "Delivered, and marked as spam",
  unknown: "Perhaps delivered",
  discarded: "Failed",
};
/** Of what a receipt has told the reason is the vendor's, whatever it begins with. */
const OF_VENDORS = ["bounced", "complained"];
const RETRIES_EXHAUSTED = "retries exhausted: ";

/** Why something did not arrive, in a plain sentence; undefined: it did, or still may. */
export function whyNot({ status, reason, vendor, tries = 0 }: Told): WhyNot | undefined {
  const beginning = BEGINNINGS[status];
  if (beginning === undefined) return undefined;
  const isOver = reason?.startsWith(RETRIES_EXHAUSTED) === true;
  const told = isOver ? reason.slice(RETRIES_EXHAUSTED.length) : (reason ?? "");
  const known = meaningOf(status, told, vendor);
  const says = known?.says ?? (told === "" ? (UNSAID[status] ?? status) : told);
  const often = isOver && tries > 1 ? ` There were ${tries} attempts.` : "";
  return { sentence: `${beginning}: ${says.replace(/\.$/, "")}.${often}`, look: known?.look };
}

/** Where nobody gave a reason. */
const UNSAID: Readonly<Record<string, string>> = {
  bounced: "the provider reported a bounce without a reason",
  complained: "the recipient marked it as spam",
  discarded: "it was discarded by a person",
};

function meaningOf(status: string, told: string, vendor: Told["vendor"]): CodeRow | undefined {
  if (status === "complained") return undefined;
  if (OF_VENDORS.includes(status)) return vendor && codeRow(vendor);
  const own = ownReason(told);
  if (own !== undefined || status === "skipped") return own;
  return vendor && codeRow(vendor);
}

function ownReason(told: string): CodeRow | undefined {
  const row = OWN_REASONS.find(({ begins }) => told.startsWith(begins));
  if (row === undefined) return undefined;
  const { begins, says, look } = row;
  // A function: what follows is no pattern.
  return { says: says.replace("{rest}", () => told.slice(begins.length)), ...(look && { look }) };
}

/** What the vendor's code means: its own, an enhanced status code wherever it stands, an SMTP reply. */
function codeRow(vendor: VendorWords): CodeRow | undefined {
  const { provider, reason, vendorStatus, vendorAnswer } = vendor;
  const own = VENDOR_CODES[provider] ?? {};
  for (const code of [vendorStatus, reason]) {
    if (code !== null && Object.hasOwn(own, code)) return own[code];
  }
  for (const text of [vendorStatus, vendorAnswer, reason]) {
    const code = /(?:^|[^\d.])[45]\.(\d\.\d{1,3})(?![\d.])/.exec(text ?? "")?.[1];
    if (code !== undefined && Object.hasOwn(MAIL_STATUS, code)) return MAIL_STATUS[code];
  }
  const step = /^the mail server answered \d+ to (.+)$/.exec(reason ?? "")?.[1];
  if (step === undefined) return undefined;
  return SMTP_REPLIES[`${vendorStatus} ${step}`] ?? SMTP_REPLIES[vendorStatus ?? ""];
}
