import { once } from "node:events";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { realtimeChannel } from "@belfry/contracts/identifiers";
import {
  encodeRealtimeMessage,
  type Publication,
  publicationText,
  userSubjectToken,
} from "@belfry/contracts/realtime-message";
import { realtimeSubject } from "@belfry/contracts/streams";
import type { BenchClients } from "./realtime-clients.ts";

const TICK_MS = 2;
const DATA = {
  title: "Order A-1001 confirmed",
  category: "order.confirmed",
  eventType: "order.confirmed",
};
const BODY = "Thank you, Ann. We are packing three items now; they arrive on Thursday. @";

const OFFSET_MARK = 777_777_777;
const TIME_MARK = "TIME";

/** A publication as the dispatcher makes it; the time it left is in its text. */
function publication(user: string): Publication {
  return {
    channel: realtimeChannel("personal", user),
    offset: OFFSET_MARK,
    data: { ...DATA, body: `${BODY}${TIME_MARK}` },
    tags: { id: "0198c0de-0000-7000-8000-000000000001", createdAt: "2026-01-01T00:00:00.000Z" },
  };
}

/** The NATS message before, between and behind its two offsets and the time. */
function messageParts(userId: string): string[] {
  const traceId = "0af7651916cd43dd8448eb211c80319c";
  const publications = [{ ...publicationText(publication(userId)), traceId }];
  const text = encodeRealtimeMessage({ version: 1, kind: "publication", userId, publications });
  const [head = "", middle = "", rest = ""] = text.split(String(OFFSET_MARK));
  return [head, middle, ...rest.split(TIME_MARK)];
}

/** What a client is sent for a publication, for the yardstick that sends nothing else. */
export function pushText(user: string): string {
  const { channel, ...pub } = publication(user);
  const text = JSON.stringify({ push: { channel, pub } });
  return text
    .replace(String(OFFSET_MARK), "1000")
    .replace(TIME_MARK, String(process.hrtime.bigint()));
}

/** Does the dispatcher's part: publishes on NATS, user after user, in the order of their offsets. */
export async function startFeed(options: {
  natsUrl: string;
  prefix: string;
  tenant: string;
  users: readonly string[];
  clients: BenchClients;
}) {
  const { prefix, tenant, users, clients } = options;
  const nats = await connectNatsWriter(options.natsUrl);
  // Made beforehand but for offset and time: what this costs is taken from the machine that is measured.
  const texts = users.map(messageParts);
  const subjects = users.map((user) => realtimeSubject(prefix, tenant, userSubjectToken(user)));
  const offsets = new Array<number>(users.length).fill(0);
  let sent = 0;
  /** To the users between these two, in turn. */
  const publish = (from = 0, to = users.length) => {
    const index = from + (sent % (to - from));
    const offset = (offsets[index] ?? 0) + 1;
    offsets[index] = offset;
    sent += 1;
    const [head, middle, rest, tail] = texts[index] ?? [];
    const payload = `${head}${offset}${middle}${offset}${rest}${process.hrtime.bigint()}${tail}`;
    nats.publish(subjects[index] ?? "", payload);
  };
  /** Waits for what is under way; returns how many did not come. */
  const settle = async (target: number) => {
    const deadline = performance.now() + 10_000;
    while (clients.delivered < target && performance.now() < deadline) await sleep(20);
    return target - clients.delivered;
  };

  return {
    offsets,
    /** At a rate that is kept whatever happens, to the users between two; returns how many did not arrive. */
    async paced(
      perSecond: number,
      seconds: number,
      [from, to]: readonly [number, number] = [0, users.length],
    ): Promise<number> {
      const target = clients.delivered + Math.round(perSecond * seconds);
      const start = performance.now();
      let done = 0;
      while (done < perSecond * seconds) {
        const due = Math.min(perSecond * seconds, ((performance.now() - start) / 1000) * perSecond);
        for (; done < due; done += 1) publish(from, to);
        await sleep(TICK_MS);
      }
      return settle(target);
    },
    /**
     * As many as are read, `window` under way, until one is at least, to the users between two; returns those delivered
     * and how long it took.
     */
    async flat(
      window: number,
      seconds: number,
      [from, to]: readonly [number, number],
    ): Promise<{ delivered: number; seconds: number }> {
      const before = clients.delivered;
      const sentBefore = sent;
      const start = performance.now();
      // Only what was read makes room: looking for it again and again would take a core from what is measured.
      const fill = () => {
        const underWay = sent - sentBefore - (clients.delivered - before);
        for (let room = window - underWay; room > 0; room -= 1) publish(from, to);
      };
      clients.onDelivered = fill;
      fill();
      await sleep(seconds * 1000);
      await settle(before + 1);
      clients.onDelivered = () => undefined;
      const delivered = clients.delivered - before;
      const took = (performance.now() - start) / 1000;
      await settle(before + sent - sentBefore);
      return { delivered, seconds: took };
    },
    [Symbol.asyncDispose]: () => nats[Symbol.asyncDispose](),
  };
}

/**
 * Publishes on NATS by its plain text protocol, all of a tick in one write. A load that shares two cores
 * with what it measures has to cost little: the client library takes several times as much a message.
 * Payloads are ASCII.
 */
export async function connectNatsWriter(url: string) {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  await once(socket, "connect");
  // Else a part of a batch waits for the acknowledgement of the part before: 40 ms on loopback.
  socket.setNoDelay(true);
  socket.on("data", (data) => {
    if (data.includes("-ERR")) socket.destroy(new Error(data.toString()));
    else if (data.includes("PING\r\n")) socket.write("PONG\r\n");
  });
  socket.write('CONNECT {"verbose":false,"pedantic":false}\r\n');
  let waiting = "";
  const flush = () => {
    socket.write(waiting, "latin1");
    waiting = "";
  };
  return {
    publish(subject: string, payload: string) {
      if (waiting === "") setImmediate(flush);
      waiting += `PUB ${subject} ${payload.length}\r\n${payload}\r\n`;
    },
    async [Symbol.asyncDispose]() {
      socket.end();
      await once(socket, "close");
    },
  };
}
