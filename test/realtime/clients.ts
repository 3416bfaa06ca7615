import { once } from "node:events";
import { decodeReplies, encodeCommands } from "@belfry/testing/centrifuge-proto";
import type { Cleanup } from "@belfry/testing/cleanup";
import { eventually } from "@belfry/testing/eventually";
import {
  Centrifuge,
  type Options,
  type PublicationContext,
  type Subscription,
  type SubscriptionOptions,
  UnauthorizedError,
} from "centrifuge";
import {
  Centrifuge as ProtobufCentrifuge,
  UnauthorizedError as ProtobufUnauthorizedError,
} from "centrifuge/build/protobuf";
import {
  Centrifuge as OlderCentrifuge,
  UnauthorizedError as OlderUnauthorizedError,
} from "centrifuge-older";
import {
  Centrifuge as OlderProtobufCentrifuge,
  UnauthorizedError as OlderProtobufUnauthorizedError,
} from "centrifuge-older/build/protobuf";
import { WebSocket } from "ws";

/**
 * The newest client, and one from before it marked its subscribes and looked at its positions anew; both also in their
 * Protobuf build.
 */
export const LIBRARIES = [
  { version: "5.8.0", Library: Centrifuge, Unauthorized: UnauthorizedError },
  {
    version: "5.3.5",
    Library: OlderCentrifuge as unknown as typeof Centrifuge,
    Unauthorized: OlderUnauthorizedError,
  },
  {
    version: "5.8.0 in Protobuf",
    Library: ProtobufCentrifuge as unknown as typeof Centrifuge,
    Unauthorized: ProtobufUnauthorizedError,
  },
  {
    version: "5.3.5 in Protobuf",
    Library: OlderProtobufCentrifuge as unknown as typeof Centrifuge,
    Unauthorized: OlderProtobufUnauthorizedError,
  },
];

/**
 * As in a browser: one frame a turn, and none once the page has closed it. Given several at once the older
 * client mixes up their order, and a push of a connection that it has left it takes for one of the next.
 */
class BrowserSocket extends WebSocket {
  constructor(url: string, protocols?: string | string[]) {
    super(url, protocols, { allowSynchronousEvents: false });
  }

  override emit(event: string | symbol, ...values: unknown[]): boolean {
    if (event === "message" && this.readyState !== WebSocket.OPEN) return false;
    return super.emit(event, ...values);
  }
}

/** The unmodified client, disconnected after the test; quick to reconnect. */
export function client(
  t: Cleanup,
  url: string,
  options: Partial<Options> = {},
  Library: typeof Centrifuge = Centrifuge,
): Centrifuge {
  const made = new Library(url, {
    websocket: BrowserSocket,
    minReconnectDelay: 20,
    maxReconnectDelay: 100,
    ...options,
  });
  // Without a listener the emitter throws it.
  made.on("error", () => undefined);
  t.after(() => made.disconnect());
  return made;
}

/** A subscription that keeps what it got; subscribed when this resolves. */
export async function subscribed(
  to: Centrifuge,
  channel: string,
  options: Partial<SubscriptionOptions> = {},
): Promise<{ subscription: Subscription; got: PublicationContext[] }> {
  const subscription = to.newSubscription(channel, {
    minResubscribeDelay: 20,
    maxResubscribeDelay: 100,
    ...options,
  });
  const got: PublicationContext[] = [];
  subscription.on("error", () => undefined);
  subscription.on("publication", (publication) => {
    got.push({ ...publication, data: readData(publication.data) });
  });
  subscription.subscribe();
  to.connect();
  await subscription.ready(60_000);
  return { subscription, got };
}

/** What a client gets as data: bytes of JSON with the Protobuf build, with the other the value. */
export function readData(data: unknown) {
  return data instanceof Uint8Array ? JSON.parse(new TextDecoder().decode(data)) : data;
}

/** The offsets of what came. */
export const offsets = (got: readonly { offset?: number }[]) => got.map(({ offset }) => offset);
export const upTo = (last: number) => Array.from({ length: last }, (_, index) => index + 1);

export const PROTOCOLS = ["json", "protobuf"] as const;

/**
 * A WebSocket without the library, for what it would never send. In Protobuf messages and commands have the form that
 * they have in JSON, but that nothing is told that is zero, empty or false.
 */
export async function rawClient(
  t: Cleanup,
  url: string,
  options: { headers?: Record<string, string>; protocol?: (typeof PROTOCOLS)[number] } = {},
) {
  const isProtobuf = options.protocol === "protobuf";
  const subprotocols = isProtobuf ? ["centrifuge-protobuf"] : [];
  const socket = new WebSocket(url, subprotocols, { headers: options.headers ?? {} });
  /** Every message received, frames taken apart. */
  const messages: Record<string, unknown>[] = [];
  const frames: string[] = [];
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    socket.on("close", (code, reason) => resolve({ code, reason: reason.toString() }));
  });
  socket.on("message", (data, isBinary) => {
    if (isBinary !== isProtobuf) throw new Error("a frame of the other kind");
    frames.push(data.toString());
    if (isProtobuf) {
      for (const message of decodeReplies(data as Buffer)) messages.push(withReadData(message));
    } else for (const line of data.toString().split("\n")) messages.push(JSON.parse(line));
  });
  t.after(() => socket.terminate());
  await once(socket, "open");
  socket.on("error", () => undefined);
  return {
    ...{ socket, messages, frames, closed },
    send: (...all: unknown[]) =>
      socket.send(
        isProtobuf
          ? encodeCommands(...all.map((one) => withWrittenData(one as object)))
          : all.map((one) => (typeof one === "string" ? one : JSON.stringify(one))).join("\n"),
      ),
    /** The first message that the check accepts, waited for. */
    find: (check: (message: Record<string, unknown>) => boolean) =>
      eventually(() => {
        const found = messages.find(check);
        if (found === undefined) throw new Error(`not among ${JSON.stringify(messages)}`);
        return found;
      }),
  };
}

/** Replaces the bytes of data, at whatever depth, by what they say. */
function withReadData(message: object): Record<string, unknown> {
  return JSON.parse(
    JSON.stringify(message, (key, value) =>
      key === "data" && value?.type === "Buffer"
        ? JSON.parse(Buffer.from(value.data).toString())
        : value,
    ),
  );
}

function withWrittenData(command: object): object {
  if (!("rpc" in command)) return command;
  const { data, ...rest } = command.rpc as { data?: unknown };
  return { ...command, rpc: { ...rest, data: Buffer.from(JSON.stringify(data ?? null)) } };
}

export type RawClient = Awaited<ReturnType<typeof rawClient>>;

const EVENT_TIMEOUT_MS = 60_000;

/** The next event of a name; unlike `once` of node:events an "error" before it is no end. */
export function nextEvent<Context>(
  emitter: { on(name: never, listener: (context: never) => void): unknown },
  name: string,
): Promise<Context> {
  const { on } = emitter as { on(name: string, listener: (context: Context) => void): unknown };
  return new Promise((resolve, reject) => {
    const late = () => reject(new Error(`no ${name} within ${EVENT_TIMEOUT_MS} ms`));
    const timer = setTimeout(late, EVENT_TIMEOUT_MS);
    on.call(emitter, name, (context: Context) => {
      clearTimeout(timer);
      resolve(context);
    });
  });
}

/** How a client, or a subscription, ended. */
export interface Ended {
  code: number;
  reason: string;
}

/** Connects a client that is not let in, or not let stay; how it ended. */
export function connectedUntilEnded(page: Parameters<typeof nextEvent>[0] & { connect(): void }) {
  const ended = nextEvent<Ended>(page, "disconnected");
  page.connect();
  return ended;
}

/** How a subscription is refused. */
export function refusedSubscription(page: Centrifuge, channel: string): Promise<Ended> {
  const subscription = page.newSubscription(channel);
  const refused = nextEvent<Ended>(subscription, "unsubscribed");
  subscription.subscribe();
  page.connect();
  return refused;
}
