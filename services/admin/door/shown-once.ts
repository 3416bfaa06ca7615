import { keepToShow, type SessionHolder, takeToShow } from "@belfry/administration/people/sessions";
import type { Database } from "@belfry/database/connection";
import type { SecretKeys } from "@belfry/database/secrets";
import { type Answer, redirect } from "../drawing/answer.ts";

/**
 * What a form has made is shown by the page after it, once: a reload of that page does nothing again,
 * and shows nothing again.
 */
export interface ShownOnce {
  /** Leads to a page of ours, which takes `content`. */
  show(person: SessionHolder, path: string, content: object): Promise<Answer>;
  /** For the page: what it was given; empty where that has been shown. */
  take(context: {
    person: SessionHolder;
    query: URLSearchParams;
  }): Promise<Record<string, unknown>>;
}

export function createShownOnce(db: Database, keys: SecretKeys): ShownOnce {
  return {
    async show({ sessionId }, path, content) {
      const id = await keepToShow(db, keys, sessionId, content);
      const [plain = "", anchor] = path.split("#", 2);
      return redirect(`${plain}?shown=${id}${anchor === undefined ? "" : `#${anchor}`}`);
    },
    async take({ person, query }) {
      const id = query.get("shown");
      return id === null ? {} : ((await takeToShow(db, keys, person.sessionId, id)) ?? {});
    },
  };
}
