import type { LinkPurpose } from "@belfry/contracts/link-pages";
import type { Database } from "@belfry/database/connection";
import type { Link } from "@belfry/database/link-token";
import type { Html, Page } from "./page-frame.ts";
import type { PageWords } from "./page-words.ts";

/** A request to a page whose link is good. */
export interface LinkVisit {
  db: Database;
  link: Link;
  /** Tells the user's open pages that the preferences are others; best effort. */
  announceChanged(): void;
  /** The reader's, the most wanted first. */
  languages: readonly string[];
  words: PageWords;
  /** The tenant, as it stands in a sentence. */
  name: Html;
}

export interface LinkPage {
  purpose: LinkPurpose;
  /** Changes nothing: whoever looks after links follows them. */
  show(visit: LinkVisit): Promise<Page>;
  change(visit: LinkVisit, form: URLSearchParams): Promise<Page>;
}
