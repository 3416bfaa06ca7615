import { UUID } from "@belfry/contracts/identifiers";
import type { OwnPart } from "./act-command.ts";
import { CommandError } from "./command-error.ts";

export const parts: Readonly<Record<string, OwnPart>> = {
  "audit list": {
    async input({ before }) {
      if (before === undefined || UUID.test(String(before))) return {};
      throw new CommandError("--before: must be the next of a page");
    },
  },
};
