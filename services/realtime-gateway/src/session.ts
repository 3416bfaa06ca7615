import { randomUUID } from "node:crypto";
import { createSemaphore, type Semaphore } from "@belfry/service/semaphore";
import type { Codec, SharedPush } from "./codec.ts";
import { CommandQueue, type CommandRunner } from "./command-queue.ts";
import { type Command, type ConnectRequest, type Incoming, NestedData } from "./commands.ts";
import { ConcealedOutput } from "./concealed-output.ts";
import { Crowded } from "./held-bytes.ts";
import type { Member, User } from "./hub.ts";
import {
  type ConnectResult,
  DISCONNECTS,
  type Disconnect,
  ERRORS,
  type ProtocolError,
  type Reply,
} from "./protocol.ts";
import { isChange } from "./rpc.ts";
import { SessionChannels } from "./session-channels.ts";
import type { SessionDeps, Transport } from "./session-deps.ts";
import type { Timed } from "./timer-wheel.ts";

/** A connection stays open this long after its token expires, so that a refresh in progress can finish. */
const EXPIRY_GRACE_MS = 25_000;
/** While a client has more unread bytes, none of its commands begins. */
const READ_FIRST_BYTES = 256 * 1024;

/** `dead`: the connect was refused with an error, after which the client closes the connection. */
type State = "new" | "connecting" | "connected" | "dead" | "closed";

/**
 * The protocol with one client, from its first frame to its end: the order of commands, deadlines and errors. It does
 * not depend on the kind of socket.
 */
export class Session implements Member, Timed, CommandRunner {
  readonly id = randomUUID();
  wheelSlot = 0;
  readonly #deps: SessionDeps;
  readonly #transport: Transport;
  readonly #channels: SessionChannels;
  readonly #commands: CommandQueue;
  /** Runs large answers one at a time. Each begins when the client has read all earlier messages. */
  #largeAnswers: Semaphore | undefined;
  /** Set only if the token is concealed. */
  #concealed: ConcealedOutput | undefined;
  #state: State = "new";
  #user: User | undefined;
  /** The time at which the session ends unless it connects or refreshes before. */
  #endAtMs: number;
  #pingAtMs = 0;
  #pongDueMs = 0;

  constructor(transport: Transport, deps: SessionDeps) {
    this.#transport = transport;
    this.#deps = deps;
    this.#channels = new SessionChannels(deps, this);
    const nowMs = deps.nowMs();
    this.#commands = new CommandQueue(this, deps.limits, nowMs);
    this.#endAtMs = nowMs + deps.limits.connectTimeoutMs;
    this.#schedule();
  }

  get user(): User | undefined {
    return this.#user;
  }

  /** Bytes of commands that are not done. */
  get heldBytes(): number {
    return this.#commands.heldBytes;
  }

  get codec(): Codec {
    return this.#transport.codec;
  }

  /** Handles one frame of the client. */
  receive(frame: Buffer): void {
    if (this.#state === "closed" || this.#state === "dead") return;
    const messages = this.codec.decodeFrame(frame);
    const fault = messages === undefined ? DISCONNECTS.badRequest : this.#accept(messages);
    if (fault !== undefined) this.end(fault);
    else this.resume();
  }

  /** Runs the commands that may run now. Called when the client has read all earlier messages. */
  resume(): void {
    this.#largeAnswers?.resume();
    this.#commands.resume();
  }

  /** Returns whether a command may begin. One with a large answer must wait until the client has read everything. */
  mayRun({ method }: Command): boolean {
    // The client has left. Only its changes are still queued, and their answers are dropped.
    if (this.#state === "closed") return true;
    if (this.#state === "dead") {
      this.#commands.clear();
      return false;
    }
    if (this.#concealed?.isIdle === false) return false;
    const isLarge = method === "rpc" || method === "history";
    return this.#transport.backlogBytes() <= (isLarge ? 0 : READ_FIRST_BYTES);
  }

  workDone(): void {
    this.#transport.workDone();
  }

  answerLarge(answer: () => Promise<void>): Promise<void> {
    // After the close, all waiting answers begin and then find the session closed.
    this.#largeAnswers ??= createSemaphore(
      (_, used) => this.#state === "closed" || (used === 0 && this.#transport.backlogBytes() === 0),
    );
    return this.#largeAnswers.run(answer);
  }

  /** Runs a command. Never throws or rejects: a command that fails is answered with an error. */
  run(command: Command): Promise<void> | undefined {
    try {
      return this.#run(command)?.catch((err) => this.#failed(command, err));
    } catch (err) {
      this.#failed(command, err);
      return undefined;
    }
  }

  reply(reply: Reply): void {
    if (this.#concealed === undefined) this.#reply(reply);
    else this.#concealed.send(reply, (concealed) => this.#reply(concealed));
  }

  #reply(reply: Reply): void {
    if (this.#state !== "closed") this.#transport.reply(this.codec.encodeReply(reply));
  }

  fail(id: number, error: ProtocolError): void {
    this.reply({ id, error });
  }

  push(push: SharedPush): void {
    if (this.#state !== "connected") return;
    const { codec } = this;
    if (this.#concealed === undefined) return void this.#transport.push(push.encoded(codec));
    this.#concealed.send({ push: push.read() }, (concealed) => {
      if (this.#state === "connected") this.#transport.push(codec.encodePush(concealed.push));
    });
  }

  end(disconnect: Disconnect): void {
    if (this.#state === "closed") return;
    this.#close();
    this.#transport.close(disconnect);
  }

  /** Ends this session after an internal fault. */
  fault(err: unknown): void {
    this.#deps.log.warn({ err, client: this.id }, "a session failed");
    this.end(DISCONNECTS.internal);
  }

  /**
   * Called when the socket is closed. If the client closed it, the client's queued changes are still made, because a
   * user who follows a notification leaves the page with the same click that marks the notification as read.
   */
  closed(): void {
    if (this.#state === "closed") return;
    const isUser = this.#state === "connected";
    this.#close((command) => isUser && command.method === "rpc" && isChange(command.request));
    this.#commands.resume();
  }

  /** Drops all waiting commands. */
  forget(): void {
    this.#commands.clear();
  }

  #close(isKept?: (command: Command) => boolean): void {
    this.#state = "closed";
    this.#commands.clear(isKept);
    this.#deps.wheel.cancel(this);
    if (this.#user === undefined) return;
    this.#channels.leaveAll();
    this.#largeAnswers?.resume();
    this.#deps.hub.leave(this, this.#user);
  }

  onTimer(nowMs: number): void {
    if (this.#state === "closed") return;
    const overdue = this.#overdue(nowMs);
    if (overdue !== undefined) return void this.end(overdue);
    if (this.#pingAtMs !== 0 && nowMs >= this.#pingAtMs) {
      this.#pingAtMs = nowMs + this.#deps.limits.pingIntervalMs;
      this.#pongDueMs = nowMs + this.#deps.limits.pongTimeoutMs;
      this.#commands.forgetRefusals();
      this.#transport.reply(this.codec.ping);
    }
    this.#schedule();
  }

  #overdue(nowMs: number): Disconnect | undefined {
    if (nowMs >= this.#endAtMs) {
      if (this.#state === "connected") return DISCONNECTS.expired;
      return this.#state === "dead" ? DISCONNECTS.closed : DISCONNECTS.stale;
    }
    if (this.#pongDueMs === 0 || nowMs < this.#pongDueMs) return undefined;
    // We read no frames now, so the pong may have arrived unread.
    if (this.#transport.isHeldBack() && this.#transport.backlogBytes() === 0) {
      this.#pongDueMs = nowMs + this.#deps.limits.pongTimeoutMs;
      return undefined;
    }
    return DISCONNECTS.noPong;
  }

  /** Queues the commands. Returns a disconnect if the session must end because of them. */
  #accept(messages: readonly Incoming[]): Disconnect | undefined {
    const nowMs = this.#deps.nowMs();
    for (const message of messages) {
      if (message === "pong") {
        if (this.#pongDueMs === 0) return DISCONNECTS.badRequest;
        this.#pongDueMs = 0;
        continue;
      }
      const admission = this.#commands.add(message, nowMs);
      if (admission === "excess") return DISCONNECTS.tooManyRequests;
      if (admission === "refused") this.fail(message.id, ERRORS.tooManyRequests);
    }
    return undefined;
  }

  #schedule(): void {
    let dueMs = this.#endAtMs;
    for (const atMs of [this.#pingAtMs, this.#pongDueMs]) {
      if (atMs !== 0 && atMs < dueMs) dueMs = atMs;
    }
    this.#deps.wheel.schedule(this, dueMs);
  }

  #failed({ id, method }: Command, err: unknown): void {
    const isCrowded = err instanceof Crowded;
    if (!isCrowded) this.#deps.log.warn({ err, client: this.id, method }, "a command failed");
    this.fail(id, isCrowded ? ERRORS.tooManyRequests : ERRORS.internal);
    if (method === "connect" && this.#isOpen()) this.#state = "dead";
  }

  #run(command: Command): Promise<void> | undefined {
    const isConnect = command.method === "connect";
    if (isConnect !== (this.#state === "new")) {
      this.end(DISCONNECTS.badRequest);
      return undefined;
    }
    switch (command.method) {
      case "connect":
        return this.#connect(command.id, command.request);
      case "refresh":
        return this.#refresh(command.id, command.request);
      case "subscribe":
        return this.#channels.subscribe(command.id, command.request);
      case "unsubscribe":
        return this.#channels.unsubscribe(command.id, command.request);
      case "history":
        return this.#channels.history(command.id, command.request);
      case "rpc":
        return this.#rpc(command.id, command.request);
      case "publish":
      case "presence":
      case "presence_stats":
      case "sub_refresh": {
        if (command.request.channel === "") return void this.end(DISCONNECTS.badRequest);
        const publish = command.method === "publish";
        return void this.fail(command.id, publish ? ERRORS.permissionDenied : ERRORS.notAvailable);
      }
      case "ping":
        return void this.fail(command.id, ERRORS.notAvailable);
      case "send":
        return void this.end(DISCONNECTS.notAvailable);
    }
  }

  async #connect(id: number, request: ConnectRequest): Promise<void> {
    const { tenants, hub, limits } = this.#deps;
    this.#state = "connecting";
    if (request.token === "") return this.end(DISCONNECTS.badRequest);
    const verified = await this.#deps.verifyToken(request.token);
    if (!verified.ok) {
      if (verified.fault === "invalid") return this.end(DISCONNECTS.invalidToken);
      this.fail(id, ERRORS.tokenExpired);
      if (this.#isOpen()) this.#state = "dead";
      return;
    }
    const { tenant, sub, exp, concealed } = verified.claims;
    // Asks again if the configuration changed meanwhile: this session is not in the hub yet, so `endTenant` misses it.
    while (!tenants.isKnownActive(tenant)) {
      if (!(await tenants.isActive(tenant))) return this.end(DISCONNECTS.invalidToken);
    }
    if (!this.#isOpen()) return;
    const user = hub.enter(this, tenant, sub, limits.maxConnectionsPerUser);
    if (user === undefined) return this.end(DISCONNECTS.connectionLimit);
    this.#user = user;
    if (concealed === true) {
      this.#concealed = new ConcealedOutput({
        shown: (ids) => this.#deps.shownNotifications(tenant, ids),
        onIdle: () => this.resume(),
        onFault: (err) => this.fault(err),
      });
    }
    if (user.inForce !== undefined) await user.inForce;
    if (!this.#isOpen()) return;
    this.#state = "connected";
    const nowMs = this.#deps.nowMs();
    // The first ping is sent at a random time, so that a storm of connects does not cause a storm of pings.
    this.#pingAtMs = nowMs + limits.pingIntervalMs * (0.5 + Math.random() / 2);
    const ping = limits.pingIntervalMs / 1000;
    const reply = this.codec.encodeReply({
      id,
      connect: { ...this.#grant(exp), ping, pong: true },
    });
    // A client sends its first subscribes with the connect. One frame for both replies costs half as much as two.
    if (this.#commands.next?.method === "subscribe") this.#transport.replyWithNext(reply);
    else this.#transport.reply(reply);
  }

  async #refresh(id: number, request: ConnectRequest): Promise<void> {
    if (request.token === "") return this.end(DISCONNECTS.badRequest);
    const verified = await this.#deps.verifyToken(request.token);
    const user = this.#user;
    if (!this.#isOpen() || user === undefined) return;
    if (!verified.ok) {
      const { expired, invalidToken } = DISCONNECTS;
      return this.end(verified.fault === "expired" ? expired : invalidToken);
    }
    const { sub, tenant, exp, concealed = false } = verified.claims;
    const isOfThis = sub === user.userId && tenant === user.tenantId;
    if (!isOfThis || concealed !== (this.#concealed !== undefined)) {
      return this.end(DISCONNECTS.invalidToken);
    }
    this.reply({ id, refresh: this.#grant(exp) });
  }

  async #rpc(id: number, request: { method: string; data: unknown }): Promise<void> {
    const user = this.#user;
    if (user === undefined) return;
    const data = request.data instanceof NestedData ? request.data.read() : request.data;
    const answer = await this.#deps.rpc(user, request.method, data);
    if (answer.ok) this.reply({ id, rpc: { data: answer.data } });
    else this.fail(id, answer.error);
  }

  /** Sets the end of the session to that of the token. Returns the fields of the reply about it. */
  #grant(expSeconds: number): ConnectResult {
    // At least 1, because 0 means that the token never expires.
    const ttl = Math.max(1, Math.floor(expSeconds - this.#deps.nowSeconds()));
    this.#endAtMs = this.#deps.nowMs() + ttl * 1000 + EXPIRY_GRACE_MS;
    this.#schedule();
    // Older clients forget their own id if `client` is absent.
    return { client: this.id, version: this.#deps.version, expires: true, ttl };
  }

  #isOpen(): boolean {
    return this.#state !== "closed";
  }
}
