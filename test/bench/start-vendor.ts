import { join } from "node:path";
import type { VendorCommand, VendorReport, VendorResult } from "./bench-vendor.ts";
import { type NodeProcess, startNode } from "./node-process.ts";

type Report<Type> = Extract<VendorReport, { type: Type }>;

/** The vendor of a run, in its own process. */
export async function startVendor() {
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
    /** Counts anew. `warm` resolves after the first `warmUp` requests, `perSecond` after `count`. */
    async count(warmUp: number, count: number) {
      const warm = started.message<Report<"warm">>("warm").then(() => undefined);
      const perSecond = started
        .message<Report<"reached">>("reached")
        .then((reached) => reached.perSecond);
      for (const one of [warm, perSecond]) one.catch(() => undefined);
      await countAnew(warmUp, count);
      return { warm, perSecond };
    },
    /** Counts anew, without an end. */
    reset: () => countAnew(0, 0),
    result: () => ask<VendorResult>({ type: "result" }, "result"),
    [Symbol.asyncDispose]: () => started[Symbol.asyncDispose](),
  };
}

export type Vendor = Awaited<ReturnType<typeof startVendor>>;
