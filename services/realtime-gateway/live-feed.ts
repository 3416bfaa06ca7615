import { decodeRealtimeMessage, type RealtimeMessage } from "@belfry/contracts/realtime-message";
import { realtimeSubject } from "@belfry/contracts/streams";
import { userSubjectToken } from "@belfry/contracts/user-subject";
import type { NatsLink } from "@belfry/service/nats";
import { pause } from "@belfry/service/pause";

export interface LiveFeed {
  /** One subscription on NATS for a user, shared by all its connections here. */
  open(
    tenantId: string,
    userId: string,
    onMessage: (message: RealtimeMessage) => void,
  ): { inForce: Promise<void>; close(): void };
}

export interface LiveFeedOptions {
  nats: NatsLink;
  prefix: string;
  /** Called when something may have been missed: after a reconnection, or a flush that came late. */
  onUncertain(): void;
  log: { error(details: object, message: string): void };
}

/** Above this a subscribe goes on without NATS: a check of positions follows when it answers. */
const IN_FORCE_TIMEOUT_MS = 1500;

export function createLiveFeed(options: LiveFeedOptions): LiveFeed {
  const { nats, prefix, log, onUncertain } = options;
  const { nc } = nats;
  let flush: Promise<void> | undefined;

  /** The server works in order: after its pong, every subscription sent before is in force. */
  const flushed = () => {
    flush ??= new Promise<void>((resolve) => setImmediate(resolve)).then(async () => {
      flush = undefined;
      // While NATS is away the client keeps the subscription; its return is followed by a check.
      if (!nats.isConnected()) return;
      let late = false;
      const done = nc.flush().then(
        () => {
          if (late) onUncertain();
        },
        () => undefined,
      );
      const timeout = new AbortController();
      await Promise.race([
        done,
        pause(IN_FORCE_TIMEOUT_MS, timeout.signal).then(() => {
          late = true;
        }),
      ]);
      timeout.abort();
    });
    return flush;
  };

  const watch = async () => {
    for await (const status of nc.status()) {
      if (status.type !== "reconnect") continue;
      nc.flush().then(onUncertain, () => undefined);
    }
  };
  watch().catch((err) => log.error({ err }, "NATS status ended"));

  return {
    open(tenantId, userId, onMessage) {
      const subject = realtimeSubject(prefix, tenantId, userSubjectToken(userId));
      const subscription = nc.subscribe(subject, {
        callback(error, message) {
          if (error !== null) return log.error({ err: error }, "realtime subscription failed");
          try {
            const decoded = decodeRealtimeMessage(message.data);
            if (decoded !== undefined) onMessage(decoded);
          } catch (err) {
            log.error({ err }, "a realtime message could not be handled");
          }
        },
      });
      return {
        inForce: flushed(),
        close() {
          if (!subscription.isClosed()) subscription.unsubscribe();
        },
      };
    },
  };
}
