import { Command } from "commander";
import { auditedCommand, templateNote } from "./audited-command.ts";
import { printJson } from "./output.ts";
import { withDatabase } from "./session.ts";
import { type AddressFlags, addressFlags, addressOf, localeFlag } from "./template-address.ts";

interface VariantFlags extends AddressFlags {
  locale?: string;
}

/** `template publish`, and `template draft`. */
export function draftCommands(template: Command): void {
  variantFlags(template.command("publish [id]"))
    .description("Publish a draft, live within 5 s; refused if another version was published since")
    .action((id: string | undefined, flags: VariantFlags) =>
      withDatabase(async ({ db }) => {
        const { prepareDraft } = await import("@belfry/administration/templates/drafts");
        const { savePreparedTemplate } = await import(
          "@belfry/administration/templates/put-template"
        );
        const { preparedAndSaved } = await import("@belfry/administration/input-error");
        const saved = await preparedAndSaved(
          () => prepareDraft(db, variantOf(id, flags)),
          (prepared) =>
            auditedCommand(
              db,
              (transaction) => savePreparedTemplate(transaction, prepared),
              (result) => templateNote("publish", result, flags.locale),
            ),
        );
        await printJson(saved);
      }),
    );

  const draft = new Command("draft").description("Texts that are not published yet");
  variantFlags(draft.command("show [id]"))
    .description("The draft of a template, with its text")
    .action((id: string | undefined, flags: VariantFlags) =>
      withDatabase(async ({ db }) => {
        const { showDraft } = await import("@belfry/administration/templates/drafts");
        await printJson(await showDraft(db, variantOf(id, flags)));
      }),
    );
  variantFlags(draft.command("discard [id]"))
    .description("Discard the draft; prints its last text")
    .action((id: string | undefined, flags: VariantFlags) =>
      withDatabase(async ({ db }) => {
        const { discardDraft } = await import("@belfry/administration/templates/drafts");
        const discarded = await auditedCommand(
          db,
          (transaction) => discardDraft(transaction, variantOf(id, flags)),
          (result) => templateNote("discard-draft", result, flags.locale),
        );
        await printJson(discarded);
      }),
    );
  template.addCommand(draft);
}

function variantFlags(command: Command): Command {
  return localeFlag(addressFlags(command));
}

function variantOf(id: string | undefined, flags: VariantFlags) {
  return { ...addressOf(id, flags), locale: flags.locale };
}
