import { join } from "node:path";
import { type NodeProcess, startNode } from "./node-process.ts";

export type WireProtocol = "json" | "protobuf";

export type LoadCommand =
  | {
      type: "connect";
      url: string;
      tenant: string;
      users: string[];
      atOnce: number;
      protocol: WireProtocol;
    }
  | { type: "measure" | "result" | "come-back" };

export type LoadReport =
  | { type: "delivered"; count: number }
  | { type: "connected" | "measuring" }
  | LoadResult;

interface LoadResult {
  type: "result";
  latencies: number[];
  /** Publications that came out of order or twice. */
  faults: number;
  /** Returns that were told that something cannot be recovered. */
  unrecovered: number;
  live: number;
}

const PROCESSES = 2;
const AT_ONCE = 64;

/** Connections, spread over processes of their own. */
export class BenchClients implements AsyncDisposable {
  /** Publications read by all of them so far. */
  delivered = 0;
  onDelivered: (count: number) => void = () => undefined;
  readonly #processes: NodeProcess[];

  /** Without keys the connections are bare: they speak no protocol. */
  constructor(tokenKeys: string) {
    this.#processes = Array.from({ length: PROCESSES }, () =>
      startNode(join(import.meta.dirname, "realtime-load.ts"), { REALTIME_TOKEN_KEYS: tokenKeys }),
    );
    for (const { child } of this.#processes) {
      child.on("message", (report: LoadReport) => {
        if (report.type !== "delivered") return;
        this.delivered += report.count;
        this.onDelivered(report.count);
      });
    }
  }

  /** Returns connections a second. */
  async connect(
    url: string,
    tenant: string,
    users: readonly string[],
    protocol: WireProtocol = "json",
  ): Promise<number> {
    await Promise.all(this.#processes.map(({ ready }) => ready));
    const start = performance.now();
    const share = Math.ceil(users.length / PROCESSES);
    await this.#ask("connected", (index) => ({
      type: "connect",
      ...{ url, tenant, protocol, atOnce: AT_ONCE },
      users: users.slice(index * share, (index + 1) * share),
    }));
    return users.length / ((performance.now() - start) / 1000);
  }

  /** From now on latencies count. */
  async measure(): Promise<void> {
    await this.#ask("measuring", () => ({ type: "measure" }));
  }

  /** Who loses its connection comes back, as the client library does. */
  async comeBack(): Promise<void> {
    await this.#ask("measuring", () => ({ type: "come-back" }));
  }

  async result(): Promise<Omit<LoadResult, "type">> {
    const results = (await this.#ask("result", () => ({ type: "result" }))) as LoadResult[];
    const sum = (of: (result: LoadResult) => number) =>
      results.reduce((all, result) => all + of(result), 0);
    return {
      latencies: results.flatMap(({ latencies }) => latencies).sort((a, b) => a - b),
      faults: sum(({ faults }) => faults),
      unrecovered: sum(({ unrecovered }) => unrecovered),
      live: sum(({ live }) => live),
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#processes.map((one) => one[Symbol.asyncDispose]()));
  }

  #ask(answer: LoadReport["type"], command: (index: number) => LoadCommand): Promise<LoadReport[]> {
    const answered = ({ child }: NodeProcess) =>
      new Promise<LoadReport>((resolve, reject) => {
        const gone = () => reject(new Error("a process of clients has ended"));
        const onReport = (report: LoadReport) => {
          if (report.type !== answer) return;
          child.off("message", onReport).off("exit", gone);
          resolve(report);
        };
        child.on("message", onReport).once("exit", gone);
      });
    return Promise.all(
      this.#processes.map((one, index) => {
        const report = answered(one);
        one.child.send(command(index));
        return report;
      }),
    );
  }
}
