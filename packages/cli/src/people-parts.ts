import { listOperators } from "@belfry/administration/people/person-rows";
import type { OwnPart } from "./act-command.ts";
import { BASE_URL } from "./admin-url.ts";
import { CommandError } from "./command-error.ts";

/** Of a command that prints a link. */
const LINK: OwnPart = { define: (command) => void command.option(...BASE_URL) };

export const parts: Readonly<Record<string, OwnPart>> = {
  "member invite": LINK,
  "member reset-link": LINK,
  "operator reset-link": LINK,
  "operator invite": {
    ...LINK,
    async input({ email }, { db }) {
      if (email !== undefined || (await listOperators(db)).length === 0) return {};
      throw new CommandError("--email: say whom, as there is an operator already");
    },
  },
};

export const groups = { key: "Platform keys: for programs that do what an operator may" };
