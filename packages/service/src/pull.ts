import type { ConsumerDefinition } from "@belfry/contracts/streams";
import { createInbox, type Msg, type NatsConnection, nanos } from "@nats-io/transport-node";
import type { PulledMessage } from "./message-batch.ts";
import { within } from "./pause.ts";

/** The time in ms that the server keeps a pull request that it cannot fill. */
const PULL_EXPIRES_MS = 5000;
/** The time in ms after which a request without an answer counts as lost. */
const PULL_LOST_MS = PULL_EXPIRES_MS + 2500;

export interface Pull {
  /** Returns how many messages the server may still send for the current request. */
  outstanding(): number;
  /** Returns the reason why requests no longer reach the consumer, or undefined if they do. */
  lost(): string | undefined;
  /** Requests up to `count` messages. Call it only when nothing is outstanding. */
  request(count: number): void;
  /** Marks the pull as lost, for this reason. */
  lose(why: string): void;
  /** Cancels the request, and waits for the messages that the server has sent before. */
  drain(timeoutMs: number): Promise<void>;
}

/**
 * Pulls from a durable consumer through one subscription. When the client library's `fetch` is closed, it drops
 * messages on the wire, and each of them is only redelivered after the ack wait. This one drains.
 */
export function openPull(
  nc: NatsConnection,
  consumer: ConsumerDefinition,
  onMessage: (message: PulledMessage) => void,
  onIdle: () => void,
): Pull {
  const inbox = createInbox();
  const requestSubject = `$JS.API.CONSUMER.MSG.NEXT.${consumer.stream}.${consumer.durable}`;
  let outstanding = 0;
  let serial = 0;
  let lost: string | undefined;
  let lostTimer: NodeJS.Timeout | undefined;

  const settle = () => {
    outstanding = 0;
    clearTimeout(lostTimer);
    onIdle();
  };
  const lose = (why: string) => {
    lost ??= why;
    settle();
  };
  const onStatus = (msg: Msg) => {
    // A late status of an earlier request is not about the current one.
    if (msg.subject !== `${inbox}.${serial}`) return;
    const { code = 0, description = "" } = msg.headers ?? {};
    if (code === 100) return;
    // 404 and 408: the request has expired. 409 "deleted" and 503: the consumer does not exist.
    if (code === 503) lose("no responders");
    else if (code === 409 && /deleted|push based/i.test(description)) lose(description);
    else if (code === 400) lose(`bad request: ${description}`);
    else settle();
  };
  const subscription = nc.subscribe(`${inbox}.*`, {
    callback: (err, msg) => {
      if (err) {
        lose(err.message);
      } else if (msg.subject.startsWith(inbox)) {
        onStatus(msg);
      } else {
        if (outstanding > 0) outstanding -= 1;
        if (outstanding === 0) clearTimeout(lostTimer);
        onMessage(toMessage(msg));
      }
    },
  });

  return {
    outstanding: () => outstanding,
    lost: () => lost,
    request(count) {
      serial += 1;
      outstanding = count;
      clearTimeout(lostTimer);
      lostTimer = setTimeout(lose, PULL_LOST_MS, "no answer");
      const body = JSON.stringify({ batch: count, expires: nanos(PULL_EXPIRES_MS) });
      nc.publish(requestSubject, body, { reply: `${inbox}.${serial}` });
    },
    lose,
    async drain(timeoutMs) {
      clearTimeout(lostTimer);
      if (nc.isClosed() || subscription.isClosed()) return;
      const drained = subscription.drain().catch(() => undefined);
      await within(drained, timeoutMs, undefined);
      outstanding = 0;
    },
  };
}

function toMessage(msg: Msg): PulledMessage {
  // $JS.ACK.[<domain>.<account>.]<stream>.<consumer>.<deliveries>.<stream seq>.<consumer seq>.<time>.<pending>[.<random>]
  const tokens = (msg.reply ?? "").split(".");
  const at = tokens.length === 9 ? 4 : 6;
  return {
    data: msg.data,
    subject: msg.subject,
    deliveryCount: Number(tokens[at]),
    streamSequence: Number(tokens[at + 1]),
    ack: () => void respond(msg, "+ACK"),
    nak: (delayMs) => void respond(msg, `-NAK ${JSON.stringify({ delay: nanos(delayMs) })}`),
    term: () => void respond(msg, "+TERM"),
    working: () => void respond(msg, "+WPI"),
  };
}

function respond(msg: Msg, word: string): void {
  try {
    msg.respond(word);
  } catch {
    // The connection is closed, so the server redelivers the message.
  }
}
