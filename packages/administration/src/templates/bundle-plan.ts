import { hash } from "node:crypto";
import { EXAMPLE_CHANNEL } from "@belfry/contracts/channels";
import { flag, oneOf, text } from "@belfry/contracts/fields";
import { type Static, Type } from "@sinclair/typebox";
import { type Note, optional } from "../act.ts";
import type { BundlePart } from "./bundle-files.ts";

const BUNDLE_STATES = ["waiting", "running", "done", "failed"] as const;

export type Plan = Static<typeof Plan>;
export const Plan = Type.Object(
  {
    plan: Type.String({
      description: "Identifies this plan: pass it on to apply exactly this plan",
    }),
    added: Type.Array(Type.String(), { description: "Paths of what the tenant lacks" }),
    changed: Type.Array(Type.String()),
    same: Type.Array(Type.String()),
    outdated: Type.Array(Type.String(), {
      description: "Paths that the tenant has and the bundle lacks; they stay as they are",
    }),
    faults: Type.Array(Type.String(), {
      description: "Why it cannot be applied; set for a dry run and for work in the background",
    }),
    applied: Type.Boolean(),
    id: optional(
      Type.String({ format: "uuid" }),
      "of work in the background; `bundle progress` tells how far it is",
    ),
    state: optional(oneOf(BUNDLE_STATES), "of work in the background"),
    total: optional(Type.Integer(), "templates that the background compiles"),
    compiled: optional(Type.Integer(), "how many of them are compiled"),
  },
  { title: "Plan" },
);
export const PATH = `order.confirmed/${EXAMPLE_CHANNEL}.md`;
export const PLANNED: Plan = {
  plan: "3f1c9a5be0d24c7788f1a2b3c4d5e6f7",
  added: [],
  changed: [PATH],
  same: ["layout.mjml"],
  outdated: [],
  faults: [],
  applied: true,
};
export const UNDER_WAY = {
  ...PLANNED,
  applied: false,
  id: "0198c0de-0000-7000-8000-000000000001",
  state: "waiting",
  total: 240,
  compiled: 0,
} as const satisfies Plan;
export const options = {
  dryRun: optional(flag(), "say what would change, and change nothing"),
  plan: optional(text(), "of a dry run: refused where the tenant or the files changed since"),
};
/** The `underWay` of acts that may continue in the background. */
export const IN_BACKGROUND = { is: isOpen, example: UNDER_WAY };

/** Whether the work in the background has not ended. */
export function isOpen({ state }: Plan): boolean {
  return state === "waiting" || state === "running";
}

export function noteOf(action: string, { added, changed, applied }: Plan): Note | undefined {
  if (!applied || added.length + changed.length === 0) return undefined;
  const target = `${added.length + changed.length} published`;
  return { action, target, after: { added, changed } };
}

export function planOf(parts: readonly BundlePart[]): Plan {
  const pathsOf = (isOf: (part: BundlePart) => boolean) =>
    parts.filter(isOf).map(({ path }) => path);
  return {
    plan: hash("sha256", JSON.stringify(parts)).slice(0, 32),
    added: pathsOf(({ before, after }) => before === undefined && after !== undefined),
    changed: pathsOf(
      ({ before, after }) => before !== undefined && after !== undefined && before !== after,
    ),
    same: pathsOf(({ before, after }) => before !== undefined && before === after),
    outdated: pathsOf(({ after }) => after === undefined),
    faults: [],
    applied: false,
  };
}
