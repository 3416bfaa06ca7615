import type { Command } from "commander";
import { auditedCommand, templateNote } from "./audited-command.ts";
import { printJson } from "./output.ts";
import { withDatabase } from "./session.ts";
import { type AddressFlags, addressFlags, addressOf, TENANT } from "./template-address.ts";

/** `template export`, `import` and `copy`. */
export function templateFilesCommands(template: Command): void {
  template
    .command("export <dir>")
    .description(
      "Write what is published into a directory: a folder an event type, a file a language",
    )
    .requiredOption("--tenant <id>", TENANT)
    .action((dir: string, { tenant }: { tenant: string }) =>
      withDatabase(async ({ db }) => {
        const { exportTemplates } = await import(
          "@belfry/administration/templates/export-templates"
        );
        await printJson(await exportTemplates(db, tenant, dir));
      }),
    );

  template
    .command("import <dir>")
    .description(
      "Publish such a directory; all is checked first, and what is the same stays as it is",
    )
    .requiredOption("--tenant <id>", TENANT)
    .option("--dry-run", "check it, and change nothing")
    .action((dir: string, { tenant, dryRun }: { tenant: string; dryRun?: boolean }) =>
      withDatabase(async ({ db }) => {
        const { prepareImport, saveImport } = await import(
          "@belfry/administration/templates/import-templates"
        );
        if (dryRun === true) {
          const { templates } = await prepareImport(db, tenant, dir);
          await printJson({ checked: templates.map(({ path }) => path).sort() });
          return;
        }
        const { preparedAndSaved } = await import("@belfry/administration/input-error");
        const done = await preparedAndSaved(
          () => prepareImport(db, tenant, dir),
          (prepared) =>
            auditedCommand(
              db,
              (transaction) => saveImport(transaction, prepared),
              ({ published }) => ({
                tenantId: tenant,
                ...{ action: "template.import", target: `${published.length} published` },
                after: { published },
              }),
            ),
        );
        await printJson(done);
      }),
    );

  addressFlags(template.command("copy [id]"))
    .description("Copy it to another event type or tenant, in all languages, as drafts")
    .requiredOption("--to-event-type <type>", "what the copy is for")
    .option("--to-tenant <id>", "whose it is; default: the same tenant's")
    .action(
      (id: string | undefined, flags: AddressFlags & { toEventType: string; toTenant?: string }) =>
        withDatabase(async ({ db }) => {
          const { copyTemplate } = await import("@belfry/administration/templates/copy-template");
          const { requireTemplate } = await import("@belfry/administration/templates/templates");
          const { tenantId } = await requireTemplate(db, addressOf(id, flags));
          const to = { tenantId: flags.toTenant ?? tenantId, eventType: flags.toEventType };
          const copy = await auditedCommand(
            db,
            (transaction) => copyTemplate(transaction, addressOf(id, flags), to),
            (result) => templateNote("copy", result),
          );
          await printJson(copy);
        }),
    );
}
