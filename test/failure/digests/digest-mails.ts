import type { Vendors } from "../vendors.ts";

/** A mail of a digest as the vendor had it. */
export interface DigestMail {
  digestId: string;
  deliveryId: string;
  /** What it says of its own: `$count`, and the ids of the events that it shows. */
  count: number;
  shown: string[];
  /** By Date.now(), as Postgres' clock tells it. */
  at: number;
}

/** What the mails of the templates say: `$count`, the newest event's key, and the id of each that is shown. */
export const SUBJECT = "{{$count}} of {{key}}";
export const CONTENT = "<p>{% for event in $items %}[{{event.$event_id}}]{% endfor %}</p>";

const SHOWN = /\[([0-9a-f-]{36})\]/g;

interface MailBody {
  subject: string;
  personalizations: { custom_args: { delivery_id: string; event_id: string } }[];
  content: { type: string; value: string }[];
}

/** Keeps every mail that the vendor is asked to send from here on. */
export function keepMails(vendors: Vendors, heard: () => void = () => undefined): DigestMail[] {
  const mails: DigestMail[] = [];
  vendors.watch = (_, body) => {
    const { subject, personalizations, content } = JSON.parse(body) as MailBody;
    const ids = personalizations[0]!.custom_args;
    const html = content.find(({ type }) => type === "text/html")!.value;
    mails.push({
      digestId: ids.event_id,
      deliveryId: ids.delivery_id,
      count: Number.parseInt(subject, 10),
      shown: [...html.matchAll(SHOWN)].map(([, id]) => id!),
      at: Date.now(),
    });
    heard();
  };
  return mails;
}
