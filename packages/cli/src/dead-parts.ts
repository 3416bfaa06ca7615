import type { OwnPart } from "./act-command.ts";
import { CommandError } from "./command-error.ts";
import { ANY_TENANT } from "./event-parts.ts";

const MAX_NAMED = 100;

/** IDs, or flags that choose; to choose nothing at all is not enough. */
const CHANGE: OwnPart = {
  fields: ["ids"],
  define(command) {
    ANY_TENANT.define?.(command);
    command
      .argument("[id...]")
      .option("--all", "of every tenant and class, unless other flags choose");
  },
  async input({ tenant, all, dryRun: _, ...filter }, _session, [given]) {
    const ids = given as unknown as string[];
    if (ids.length > 0) {
      if (all === true) throw new CommandError("ID: give IDs or a filter, not both");
      return { ids };
    }
    if (all !== true && tenant === undefined && Object.keys(filter).length === 0) {
      throw new CommandError("ID: say which: IDs, a filter such as --tenant or --class, or --all");
    }
    return {};
  },
  added: (sum: Part, part: Part) => ({
    ...part,
    count: sum.count + part.count,
    ids: [...sum.ids, ...part.ids].slice(0, MAX_NAMED),
    refused: sum.refused,
  }),
};

interface Part {
  count: number;
  ids: string[];
  refused: unknown[];
}

export const parts: Readonly<Record<string, OwnPart>> = {
  "dead list": ANY_TENANT,
  "dead show": ANY_TENANT,
  "dead replay": CHANGE,
  "dead discard": CHANGE,
};
