import type { Command } from "commander";
import { auditedCommand, templateNote } from "./audited-command.ts";
import { integerValue } from "./flag-values.ts";
import { printJson } from "./output.ts";
import { withDatabase } from "./session.ts";
import { type AddressFlags, addressFlags, addressOf } from "./template-address.ts";

/** `template versions`, and `template restore`. */
export function templateVersionsCommands(template: Command): void {
  addressFlags(template.command("versions [id]"))
    .description("What was published of it in all languages, newest first, without the contents")
    .action((id: string | undefined, flags: AddressFlags) =>
      withDatabase(async ({ db }) => {
        const { listTemplateVersions } = await import(
          "@belfry/administration/templates/template-versions"
        );
        await printJson(await listTemplateVersions(db, addressOf(id, flags)));
      }),
    );

  addressFlags(template.command("restore [id]"))
    .description("Publish an older version again, in its language, as the newest")
    .requiredOption("--version <n>", "its number", integerValue)
    .action((id: string | undefined, flags: AddressFlags & { version: number }) =>
      withDatabase(async ({ db }) => {
        const { prepareTemplateVersion } = await import(
          "@belfry/administration/templates/template-versions"
        );
        const { savePreparedTemplate } = await import(
          "@belfry/administration/templates/put-template"
        );
        const { preparedAndSaved } = await import("@belfry/administration/input-error");
        const restored = await preparedAndSaved(
          () => prepareTemplateVersion(db, addressOf(id, flags), flags.version),
          (prepared) =>
            auditedCommand(
              db,
              (transaction) => savePreparedTemplate(transaction, prepared),
              (result) => templateNote("restore", result, prepared.input.locale),
            ),
        );
        await printJson(restored);
      }),
    );
}
