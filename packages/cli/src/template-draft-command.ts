import { preparedAndSaved } from "@belfry/administration/input-error";
import { discardDraft, prepareDraft, showDraft } from "@belfry/administration/templates/drafts";
import { savePreparedTemplate } from "@belfry/administration/templates/put-template";
import type { Command } from "commander";
import { onDatabase } from "./session.ts";
import { type AddressFlags, addressFlags, addressOf, localeFlag } from "./template-address.ts";
import { templateNote } from "./template-note.ts";

interface VariantFlags extends AddressFlags {
  locale?: string;
}

/** `template publish`, and `template draft`. */
export function draftCommands(template: Command): void {
  variantFlags(template.command("publish [id]"))
    .description("Publish a draft, live within 5 s; refused if another version was published since")
    .action(
      onDatabase(async ({ audited, db }, id: string | undefined, flags: VariantFlags) => {
        return await preparedAndSaved(
          () => prepareDraft(db, variantOf(id, flags)),
          (prepared) =>
            audited(
              (transaction) => savePreparedTemplate(transaction, prepared),
              (result) => templateNote("publish", result, flags.locale),
            ),
        );
      }),
    );

  const draft = template.command("draft").description("Texts that are not published yet");
  variantFlags(draft.command("show [id]"))
    .description("The draft of a template, with its text")
    .action(
      onDatabase(({ db }, id: string | undefined, flags: VariantFlags) =>
        showDraft(db, variantOf(id, flags)),
      ),
    );
  variantFlags(draft.command("discard [id]"))
    .description("Discard the draft; prints its last text")
    .action(
      onDatabase(({ audited }, id: string | undefined, flags: VariantFlags) =>
        audited(
          (transaction) => discardDraft(transaction, variantOf(id, flags)),
          (result) => templateNote("discard-draft", result, flags.locale),
        ),
      ),
    );
}

function variantFlags(command: Command): Command {
  return localeFlag(addressFlags(command));
}

function variantOf(id: string | undefined, flags: VariantFlags) {
  return { ...addressOf(id, flags), locale: flags.locale };
}
