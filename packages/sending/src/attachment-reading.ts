import type { MailAttachment } from "@belfry/contracts/attachments";
import { storedReason } from "@belfry/contracts/reasons";
import type { OutgoingAttachment, SendOutcome } from "@belfry/contracts/sending";
import { AttachmentGone, readAttachment } from "@belfry/database/functions/attachments";
import type { AttachmentForm } from "@belfry/providers/provider";
import { notBegun, outcome as outcomeOf } from "@belfry/providers/send-outcome";
import { createFairSemaphore } from "@belfry/service/semaphore";
import type pg from "pg";
import { calendarWarnings } from "./attachment-warnings.ts";
import { countWithoutRoom, showAttachmentBytes } from "./sending-metrics.ts";

const KIB = 1024;
const UNIT_BYTES = 256 * KIB;
/** Memory for the files of all mails that a process writes at a time. */
const ROOM_BYTES = 48 * 1024 * KIB;

/**
 * Memory that one mail takes for its files while it is written, by the form in which its vendor takes them: a row of 256 KiB
 * as Postgres sends it (a third more) and as bytes, and its encoded part that waits for the connection. MIME passes more
 * streams.
 */
const HELD_BYTES: Readonly<Record<AttachmentForm, number>> = {
  bytes: 4 * UNIT_BYTES,
  base64: 5 * UNIT_BYTES,
  mime: 6 * UNIT_BYTES,
  names: 0,
};

export interface AttachmentReading {
  /**
   * Room for a mail's files while they are written; undefined: there is none now. A tenant alone has half of the room,
   * and another always finds some.
   */
  room(tenantId: string, form: AttachmentForm): Promise<Disposable | undefined>;
  filesOf(tenantId: string, files: readonly MailAttachment[]): OutgoingFiles;
  readonly heldBytes: number;
}

interface OutgoingFiles {
  list: OutgoingAttachment[];
  /** Sentences for the timeline about calendar files. None if they cannot be read: the call finds that out. */
  calendarWarnings(): Promise<string[]>;
  /** The outcome of the call, unless it failed because a file could not be read. */
  judge(outcome: SendOutcome): SendOutcome;
}

/** Reads files row by row, while they are sent, for as many mails at a time as there is room. */
export function createAttachmentReading(pool: pg.Pool, roomBytes = ROOM_BYTES): AttachmentReading {
  const room = createFairSemaphore(Math.floor(roomBytes / UNIT_BYTES), 0);
  let heldBytes = 0;
  const hold = (bytes: number) => {
    heldBytes += bytes;
    showAttachmentBytes(heldBytes);
  };
  return {
    async room(tenantId, form) {
      const units = HELD_BYTES[form] / UNIT_BYTES;
      const taken = units === 0 ? 0 : await room.acquire(tenantId, units, 0);
      const give = () => {
        for (let left = taken; left > 0; left -= 1) room.release(tenantId);
      };
      if (taken < units) {
        give();
        countWithoutRoom();
        return undefined;
      }
      hold(HELD_BYTES[form]);
      return {
        [Symbol.dispose]() {
          hold(-HELD_BYTES[form]);
          give();
        },
      };
    },
    filesOf(tenantId, files) {
      let fault: { error: unknown } | undefined;
      const list = files.map((file) => ({
        ...file,
        async *read() {
          try {
            yield* readAttachment(pool, tenantId, file);
          } catch (error) {
            fault = { error };
            throw error;
          }
        },
      }));
      return {
        list,
        calendarWarnings: () => calendarWarnings(pool, tenantId, files).catch(() => []),
        judge(outcome) {
          // A vendor that answered all the same has said what it makes of it.
          if (fault === undefined || outcome.vendorStatus !== null) return outcome;
          return fault.error instanceof AttachmentGone
            ? outcomeOf("permanent", storedReason("attachment-gone"))
            : notBegun(storedReason("attachments-unread"));
        },
      };
    },
    get heldBytes() {
      return heldBytes;
    },
  };
}
