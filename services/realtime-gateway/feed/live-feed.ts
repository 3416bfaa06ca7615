import { decodeRealtimeMessage, type RealtimeMessage } from "@belfry/contracts/realtime-message";
import { realtimeSubject } from "@belfry/contracts/streams";
import { disconnectedTenant, tenantDisconnects } from "@belfry/contracts/tenant-disconnect";
import { userSubjectToken } from "@belfry/contracts/user-subject";
import { announce } from "@belfry/service/announce";
import type { NatsLink } from "@belfry/service/nats";
import { pause } from "@belfry/service/pause";

export interface LiveFeed {
  /** Tells every gateway; false while NATS is away: buffered it would come minutes late. */
  announce(tenantId: string, message: RealtimeMessage): boolean;
  /** One subscription on NATS for a user, shared by all its connections here. */
  open(
    tenantId: string,
    userId: string,
    onMessage: (message: RealtimeMessage) => void,
  ): { inForce: Promise<void>; close(): void };
}

export interface LiveFeedOptions {
  /** Until it is there users are heard by recovery alone. Who connects says why it cannot. */
  nats: Promise<NatsLink>;
  prefix: string;
  /** Called when something may have been missed: after a connection, or a flush that came late. */
  onUncertain(): void;
  /** All users of this tenant are to be disconnected. */
  onTenantDisconnect(tenantId: string): void;
  log: { error(details: object, message: string): void };
}

/** Above this a subscribe goes on without NATS: a check of positions follows when it answers. */
const IN_FORCE_TIMEOUT_MS = 1500;

export function createLiveFeed(options: LiveFeedOptions): LiveFeed {
  const { prefix, log, onUncertain } = options;
  let nats: NatsLink | undefined;
  /** Who came while NATS had never been there. */
  const waiting = new Set<() => void>();
  let flush: Promise<void> | undefined;

  /** The server works in order: after its pong, every subscription sent before is in force. */
  const flushed = () => {
    flush ??= new Promise<void>((resolve) => setImmediate(resolve)).then(async () => {
      flush = undefined;
      // While NATS is away the client keeps the subscription; its return is followed by a check.
      if (nats?.isConnected() !== true) return;
      let late = false;
      const done = nats.nc.flush().then(
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

  const watch = async ({ nc }: NatsLink) => {
    for await (const status of nc.status()) {
      if (status.type !== "reconnect") continue;
      nc.flush().then(onUncertain, () => undefined);
    }
  };
  const begin = (link: NatsLink) => {
    nats = link;
    watch(link).catch((err) => log.error({ err }, "NATS status ended"));
    link.nc.subscribe(tenantDisconnects(prefix), {
      callback(error, message) {
        if (error !== null) return log.error({ err: error }, "realtime subscription failed");
        const tenantId = disconnectedTenant(message.data);
        if (tenantId !== undefined) options.onTenantDisconnect(tenantId);
      },
    });
    if (waiting.size === 0) return;
    for (const subscribe of waiting) subscribe();
    waiting.clear();
    link.nc.flush().then(onUncertain, () => undefined);
  };
  options.nats.then(begin, () => undefined);

  return {
    announce(tenantId, message) {
      return announce(nats, prefix, tenantId, message);
    },
    open(tenantId, userId, onMessage) {
      const subject = realtimeSubject(prefix, tenantId, userSubjectToken(userId));
      let subscription: ReturnType<NatsLink["nc"]["subscribe"]> | undefined;
      const subscribe = () => {
        subscription = nats?.nc.subscribe(subject, {
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
      };
      if (nats === undefined) waiting.add(subscribe);
      else subscribe();
      return {
        inForce: flushed(),
        close() {
          waiting.delete(subscribe);
          if (subscription?.isClosed() === false) subscription.unsubscribe();
        },
      };
    },
  };
}
