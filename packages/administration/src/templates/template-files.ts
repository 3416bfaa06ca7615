import type { Database } from "@belfry/database/connection";

/** What was written: paths below the directory, sorted. */
export interface ExportedTemplates {
  files: string[];
}

/** What was read and published: event types with channel and language. */
export interface ImportedTemplates {
  published: string[];
  unchanged: string[];
}

/** One folder an event type, one file a channel and language, with its settings at its head. */
export async function exportTemplates(
  _db: Database,
  _tenantId: string,
  _dir: string,
): Promise<ExportedTemplates> {
  throw new Error("not there yet");
}

/** Publishes what is in such a directory; everything is checked before anything is changed. */
export async function importTemplates(
  _db: Database,
  _tenantId: string,
  _dir: string,
): Promise<ImportedTemplates> {
  throw new Error("not there yet");
}
