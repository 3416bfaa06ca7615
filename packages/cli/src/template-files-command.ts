import { preparedAndSaved } from "@belfry/administration/input-error";
import { copyTemplate } from "@belfry/administration/templates/copy-template";
import { exportTemplates } from "@belfry/administration/templates/export-templates";
import { prepareImport, saveImport } from "@belfry/administration/templates/import-templates";
import { requireTemplate } from "@belfry/administration/templates/templates";
import type { Command } from "commander";
import { onDatabase } from "./session.ts";
import { type AddressFlags, addressFlags, addressOf, TENANT } from "./template-address.ts";
import { templateNote } from "./template-note.ts";

/** `template export`, `import` and `copy`. */
export function templateFilesCommands(template: Command): void {
  template
    .command("export <dir>")
    .description(
      "Write what is published into a directory: a folder an event type, a file a language",
    )
    .requiredOption("--tenant <id>", TENANT)
    .action(
      onDatabase(({ db }, dir: string, { tenant }: { tenant: string }) =>
        exportTemplates(db, tenant, dir),
      ),
    );

  template
    .command("import <dir>")
    .description(
      "Publish such a directory; all is checked first, and what is the same stays as it is",
    )
    .requiredOption("--tenant <id>", TENANT)
    .option("--dry-run", "check it, and change nothing")
    .action(
      onDatabase(
        async (
          { audited, db },
          dir: string,
          { tenant, dryRun }: { tenant: string; dryRun?: boolean },
        ) => {
          if (dryRun === true) {
            const { templates } = await prepareImport(db, tenant, dir);
            return { checked: templates.map(({ path }) => path).sort() };
          }
          return await preparedAndSaved(
            () => prepareImport(db, tenant, dir),
            (prepared) =>
              audited(
                (transaction) => saveImport(transaction, prepared),
                ({ published }) => ({
                  tenantId: tenant,
                  ...{ action: "template.import", target: `${published.length} published` },
                  after: { published },
                }),
              ),
          );
        },
      ),
    );

  addressFlags(template.command("copy [id]"))
    .description("Copy it to another event type or tenant, in all languages, as drafts")
    .requiredOption("--to-event-type <type>", "what the copy is for")
    .option("--to-tenant <id>", "whose it is; default: the same tenant's")
    .action(
      onDatabase(
        async (
          { audited, db },
          id: string | undefined,
          flags: AddressFlags & { toEventType: string; toTenant?: string },
        ) => {
          const { tenantId } = await requireTemplate(db, addressOf(id, flags));
          const to = { tenantId: flags.toTenant ?? tenantId, eventType: flags.toEventType };
          return await audited(
            (transaction) => copyTemplate(transaction, addressOf(id, flags), to),
            (result) => templateNote("copy", result),
          );
        },
      ),
    );
}
