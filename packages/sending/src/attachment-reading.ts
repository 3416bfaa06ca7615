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
/** Memory for the files of all mails that a process sends at a time. */
const ROOM_BYTES = 48 * 1024 * KIB;

/**
 * The memory for one mail's files while it is sent, by the form in which its vendor accepts them: a row of 256 KiB as
 * Postgres sends it (a third larger) and as bytes, and the encoded part that waits for the connection. MIME passes
 * through more streams.
 */
const HELD_BYTES: Readonly<Record<AttachmentForm, number>> = {
  bytes: 4 * UNIT_BYTES,
  base64: 5 * UNIT_BYTES,
  mime: 6 * UNIT_BYTES,
  names: 0,
};

export interface AttachmentReading {
  /**
   * Reserves memory for a mail's files while they are sent. Returns undefined if there is not enough now. A lone tenant
   * can use half of the memory, so that there is always some for another tenant.
   */
  room(tenantId: string, form: AttachmentForm): Promise<Disposable | undefined>;
  filesOf(tenantId: string, files: readonly MailAttachment[]): OutgoingFiles;
  readonly heldBytes: number;
}

interface OutgoingFiles {
  list: OutgoingAttachment[];
  /** Returns sentences for the timeline about calendar files; none if they are unreadable, which the call reports. */
  calendarWarnings(): Promise<string[]>;
  /** Returns the outcome of the call, or another one if the call failed because a file could not be read. */
  judge(outcome: SendOutcome): SendOutcome;
}

/** Creates the reader of attachments. Files are read row by row while they are sent, within a limit of memory. */
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
          // If the vendor has answered, its answer decides.
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
