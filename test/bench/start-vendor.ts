import { join } from "node:path";
import type { VendorCommand, VendorReport, VendorResult } from "./bench-vendor.ts";
import { type NodeProcess, startNode } from "./node-process.ts";

type Report<Type> = Extract<VendorReport, { type: Type }>;

/** The vendor of a run, in its own process. */
export interface Vendor extends AsyncDisposable {
  url: string;
  /** Counts anew. `warm` resolves after the first `warmUp` requests, `reached` after `count`. */
  count(
    warmUp: number,
    count: number,
  ): Promise<{ warm: Promise<void>; perSecond: Promise<number> }>;
  /** Counts anew, without an end. */
  reset(): Promise<void>;
  result(): Promise<VendorResult>;
}

export async function startVendor(): Promise<Vendor> {
  const started: NodeProcess = startNode(join(import.meta.dirname, "bench-vendor.ts"), {
    NODE_ENV: "production",
  });
  const { url } = await started.message<Report<"listening">>("listening");
  const ask = <Answer extends VendorReport>(command: VendorCommand, answer: Answer["type"]) => {
    const answered = started.message<Answer>(answer);
    started.child.send(command);
    return answered;
  };
  const countAnew = (warmUp: number, count: number) =>
    ask<Report<"counting">>({ type: "count", warmUp, count }, "counting");
  return {
    url,
    async count(warmUp, count) {
      const warm = started.message<Report<"warm">>("warm").then(() => undefined);
      const perSecond = started
        .message<Report<"reached">>("reached")
        .then((reached) => reached.perSecond);
      for (const one of [warm, perSecond]) one.catch(() => undefined);
      await countAnew(warmUp, count);
      return { warm, perSecond };
    },
    async reset() {
      await countAnew(0, 0);
    },
    result: () => ask<VendorResult>({ type: "result" }, "result"),
    [Symbol.asyncDispose]: () => started[Symbol.asyncDispose](),
  };
}
