import { CONCEALED, type Notification } from "@belfry/contracts/notification";
import type { HistoryResult, Push, Reply, SubscribeResult } from "./protocol.ts";
import type { StoredPublication } from "./realtime-history.ts";

/** A message that is not a reply. */
interface Pushed {
  push: Push;
}

export interface ConcealedOutputDeps {
  /** Returns the ids of those notifications that may be shown to everybody. */
  shown(ids: readonly string[]): Promise<ReadonlySet<string>>;
  /** Called when no message waits any more. */
  onIdle(): void;
  /**
   * Called if the query for visible notifications fails, or if too many messages wait. The caller must then end the
   * session.
   */
  onFault(err: unknown): void;
}

/** Most messages of a session that may wait for Postgres. With more, the session ends. */
const MAX_WAITING = 256;

/**
 * Sends the messages of a session in order. The session's token allows only concealed notifications. Replaces the title
 * of notifications that only their user may see, and removes their text and links.
 */
export class ConcealedOutput {
  readonly #deps: ConcealedOutputDeps;
  #last: Promise<void> = Promise.resolve();
  #waiting = 0;

  constructor(deps: ConcealedOutputDeps) {
    this.#deps = deps;
  }

  get isIdle(): boolean {
    return this.#waiting === 0;
  }

  send<T extends Reply | Pushed>(message: T, write: (concealed: T) => void): void {
    if (this.#waiting >= MAX_WAITING) {
      this.#deps.onFault(new Error("too much waits to be concealed"));
      return;
    }
    this.#waiting += 1;
    this.#last = this.#last
      .then(async () => write(await this.#concealed(message)))
      .catch((err) => this.#deps.onFault(err))
      .finally(() => {
        this.#waiting -= 1;
        if (this.#waiting === 0) this.#deps.onIdle();
      });
  }

  async #concealed<T extends Reply | Pushed>(message: T): Promise<T> {
    const ids = idsIn(message);
    if (ids.length === 0) return message;
    return concealed(message, await this.#deps.shown(ids)) as T;
  }
}

function idsIn(message: Reply | Pushed): string[] {
  const publications = publicationsIn(message).map(({ tags }) => tags.id);
  return [...publications, ...notificationsIn(message).map(({ id }) => id)];
}

function publicationsIn(message: Reply | Pushed): readonly StoredPublication[] {
  if ("push" in message) return "pub" in message.push ? [message.push.pub] : [];
  if ("subscribe" in message) return message.subscribe.publications ?? [];
  return "history" in message ? message.history.publications : [];
}

function notificationsIn(message: Reply | Pushed): readonly Notification[] {
  if (!("rpc" in message)) return [];
  const { notifications } = (message.rpc.data ?? {}) as { notifications?: Notification[] };
  return notifications ?? [];
}

function concealed(message: Reply | Pushed, shown: ReadonlySet<string>): Reply | Pushed {
  const publication = (one: StoredPublication): StoredPublication => {
    const { id, createdAt } = one.tags;
    if (shown.has(id)) return one;
    return { ...one, data: { ...one.data, title: CONCEALED, body: "" }, tags: { id, createdAt } };
  };
  const publications = <R extends SubscribeResult | HistoryResult>(result: R): R =>
    result.publications === undefined
      ? result
      : { ...result, publications: result.publications.map(publication) };
  if ("push" in message) {
    const { push } = message;
    return { push: "pub" in push ? { ...push, pub: publication(push.pub) } : push };
  }
  if ("subscribe" in message) return { ...message, subscribe: publications(message.subscribe) };
  if ("history" in message) return { ...message, history: publications(message.history) };
  if (!("rpc" in message)) return message;
  const notifications = notificationsIn(message).map((one): Notification => {
    if (shown.has(one.id)) return one;
    const { url: _, actions: __, ...rest } = one;
    return { ...rest, title: CONCEALED, body: "" };
  });
  return { ...message, rpc: { data: { ...(message.rpc.data as object), notifications } } };
}
