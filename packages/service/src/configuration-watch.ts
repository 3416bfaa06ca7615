import { configurationSubject } from "@belfry/contracts/streams";
import type { NatsConnection, Subscription } from "@nats-io/transport-node";
import type { Logger } from "./logger.ts";
import { pause } from "./pause.ts";

export interface WatchVersionOptions {
  /** Reads the version row: one cheap query. */
  read: () => Promise<bigint | string>;
  /** Default 2,000: with its reading well within the 5 s in which a change is in force. */
  everyMs?: number;
  /** Hastens the next poll; polling alone is enough, and all there is until it comes. */
  nc?: NatsConnection | Promise<NatsConnection>;
  prefix: string;
  /** Called with the first version read, and with every other one after it. A throw is tried again. */
  onChange: (version: string) => void | Promise<void>;
  log: Logger;
  signal: AbortSignal;
}

/** Polls the configuration's version until the signal; outlives every error of the database. */
export async function watchVersion(options: WatchVersionOptions): Promise<void> {
  const { everyMs = 2000, nc, log, signal } = options;
  let known: string | undefined;
  let failing = false;
  let nudge = new AbortController();
  let subscription: Subscription | undefined;
  const listen = (connection: NatsConnection | undefined) => {
    if (signal.aborted) return;
    subscription = connection?.subscribe(configurationSubject(options.prefix), {
      callback: () => nudge.abort(),
    });
  };
  // Whoever connects says why it cannot.
  Promise.resolve(nc).then(listen, () => undefined);
  while (!signal.aborted) {
    // Renewed before the read: a change announced during it is read again at once.
    nudge = new AbortController();
    try {
      const version = String(await options.read());
      if (version !== known) {
        await options.onChange(version);
        known = version;
      }
      if (failing) log.info("configuration can be read again");
      failing = false;
    } catch (err) {
      if (!failing) log.warn({ err }, "configuration cannot be read: trying again");
      failing = true;
    }
    await pause(everyMs, AbortSignal.any([signal, nudge.signal]));
  }
  if (subscription?.isClosed() === false) subscription.unsubscribe();
}
