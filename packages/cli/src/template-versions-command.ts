import { preparedAndSaved } from "@belfry/administration/input-error";
import { savePreparedTemplate } from "@belfry/administration/templates/put-template";
import {
  listTemplateVersions,
  prepareTemplateVersion,
} from "@belfry/administration/templates/template-versions";
import type { Command } from "commander";
import { integerValue } from "./flag-values.ts";
import { onDatabase } from "./session.ts";
import { type AddressFlags, addressFlags, addressOf } from "./template-address.ts";
import { templateNote } from "./template-note.ts";

/** `template versions`, and `template restore`. */
export function templateVersionsCommands(template: Command): void {
  addressFlags(template.command("versions [id]"))
    .description("What was published of it in all languages, newest first, without the contents")
    .action(
      onDatabase(({ db }, id: string | undefined, flags: AddressFlags) =>
        listTemplateVersions(db, addressOf(id, flags)),
      ),
    );

  addressFlags(template.command("restore [id]"))
    .description("Publish an older version again, in its language, as the newest")
    .requiredOption("--version <n>", "its number", integerValue)
    .action(
      onDatabase(
        async (
          { audited, db },
          id: string | undefined,
          flags: AddressFlags & { version: number },
        ) => {
          return await preparedAndSaved(
            () => prepareTemplateVersion(db, addressOf(id, flags), flags.version),
            (prepared) =>
              audited(
                (transaction) => savePreparedTemplate(transaction, prepared),
                (result) => templateNote("restore", result, prepared.input.locale),
              ),
          );
        },
      ),
    );
}
