import { createHash, randomBytes } from "node:crypto";
import type { OutgoingAttachment } from "@belfry/contracts/sending";

const CHUNK_BYTES = 256 * 1024;

/** A file of these bytes, as a sender gives it: read in parts of 256 KiB, as often as it is asked for. */
export function mailFile(
  bytes: Buffer,
  file: Pick<OutgoingAttachment, "name" | "type" | "cid">,
  onChunk: () => void | Promise<void> = () => undefined,
): OutgoingAttachment {
  return {
    id: "0193a1c0-0000-7000-8000-0000000000a1",
    ...file,
    bytes: bytes.length,
    sha256: createHash("sha256").update(bytes).digest("hex"),
    async *read() {
      for (let at = 0; at < bytes.length; at += CHUNK_BYTES) {
        await onChunk();
        yield bytes.subarray(at, at + CHUNK_BYTES);
      }
    },
  };
}

export const INVITATION = [
  "BEGIN:VCALENDAR",
  "VERSION:2.0",
  "PRODID:-//Acme//Shop//EN",
  "METHOD:REQUEST",
  "BEGIN:VEVENT",
  "UID:1001@acme.example",
  "DTSTAMP:20261120T120000Z",
  "DTSTART:20261201T090000Z",
  "DTEND:20261201T093000Z",
  "SUMMARY:Müllers Termin",
  "ORGANIZER:mailto:shop@example.com",
  "ATTENDEE;RSVP=TRUE:mailto:ann@example.com",
  "END:VEVENT",
  "END:VCALENDAR",
  "",
].join("\r\n");

/** Files of every size around a chunk and a piece, with every kind of name. */
export const FILES: readonly OutgoingAttachment[] = [
  mailFile(randomBytes(2 * CHUNK_BYTES + 1), { name: "发票 2026.pdf", type: "application/pdf" }),
  mailFile(randomBytes(CHUNK_BYTES), {
    name: `the "final" one, really.bin`,
    type: "application/octet-stream",
  }),
  mailFile(Buffer.from([0]), { name: "票".repeat(251).concat(".txt"), type: "text/plain" }),
  mailFile(Buffer.from("line\r\nline\nline\r.\r\n..\n"), { name: "a.txt", type: "text/plain" }),
  mailFile(Buffer.from(INVITATION), {
    name: "invite.ics",
    type: "text/calendar; charset=UTF-8; method=REQUEST",
  }),
];

export const LOGO = mailFile(randomBytes(48 * 1024 + 2), {
  name: "logo.png",
  type: "image/png",
  cid: "logo-1",
});
