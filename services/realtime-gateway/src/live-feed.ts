import {
  decodeRealtimeMessage,
  disconnectedTenant,
  type RealtimeMessage,
  tenantDisconnects,
  userSubjectToken,
} from "@belfry/contracts/realtime-message";
import { realtimeSubject } from "@belfry/contracts/streams";
import { announce, type NatsLink } from "@belfry/service/nats";
import { pause, within } from "@belfry/service/pause";

export interface LiveFeed {
  /** Publishes to all gateways. Returns false while NATS is not reachable: buffered messages would be minutes late. */
  announce(tenantId: string, message: RealtimeMessage): boolean;
  /** Opens a subscription on NATS for a user, which all the user's connections to this gateway share. */
  open(
    tenantId: string,
    userId: string,
    onMessage: (message: RealtimeMessage) => void,
  ): { inForce: Promise<void>; close(): void };
}

export interface LiveFeedOptions {
  /** Until it resolves, users get publications only when their client asks for missed ones (recovery). `connectNats` logs why NATS is not reachable. */
  nats: Promise<NatsLink>;
  prefix: string;
  /** Called when publications may have been missed: after a reconnect or a late flush. */
  onUncertain(): void;
  /** Called to disconnect all users of a tenant. */
  onTenantDisconnect(tenantId: string): void;
  log: { error(details: object, message: string): void };
}

/** After this time a subscribe continues without NATS. When NATS answers later, `onUncertain` is called. */
const IN_FORCE_TIMEOUT_MS = 1500;
/** New subscriptions are sent to NATS together in this interval, so that a storm of connects costs few writes. */
const SUBSCRIBE_EVERY_MS = 5;

export function createLiveFeed(options: LiveFeedOptions): LiveFeed {
  const { prefix, log, onUncertain } = options;
  let nats: NatsLink | undefined;
  /** Functions that send a new subscription to NATS. They are not called before the first connection to NATS. */
  const waiting = new Set<(nc: NatsLink["nc"]) => void>();
  let flush: Promise<void> | undefined;

  const subscribeWaiting = ({ nc }: NatsLink) => {
    if (nc.isClosed()) return;
    for (const subscribe of waiting) subscribe(nc);
    waiting.clear();
  };
  /** Resolves when all waiting subscriptions are in force: the server answers in order, so its pong follows them. */
  const flushed = () => {
    flush ??= pause(SUBSCRIBE_EVERY_MS).then(async () => {
      flush = undefined;
      if (nats !== undefined) subscribeWaiting(nats);
      // There is nothing to wait for without a connection: the client subscribes again when it reconnects, and then
      // `onUncertain` is called.
      if (nats?.isConnected() !== true) return;
      const answered = nats.nc.flush().then(
        () => true,
        () => false,
      );
      const first = await within(answered, IN_FORCE_TIMEOUT_MS, "late");
      if (first === "late") void answered.then((isInForce) => isInForce && onUncertain());
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
    subscribeWaiting(link);
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
      const subscribe = (nc: NatsLink["nc"]) => {
        subscription = nc.subscribe(subject, {
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
      waiting.add(subscribe);
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
