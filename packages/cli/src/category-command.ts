import { Command, InvalidArgumentError } from "commander";
import { auditedCommand } from "./audited-command.ts";
import { integerValue } from "./flag-values.ts";
import { printJson } from "./output.ts";
import { type Session, withDatabase } from "./session.ts";

interface PutFlags {
  tenant: string;
  key: string;
  label?: string;
  labelIn?: Record<string, string>;
  description?: string;
  descriptionIn?: Record<string, string>;
  required?: boolean;
  default?: boolean;
  position?: number;
}

const TENANT = ["--tenant <id>", "the tenant's id"] as const;
const KEY = ["--key <key>", "1 to 64 of a-z, 0-9, _ . and -"] as const;

export function categoryCommand(): Command {
  const category = new Command("category").description(
    "Kinds of messages, such as offers, that users turn on and off",
  );

  category
    .command("put")
    .description("Create a category, or change the given settings of one; applies within 5 s")
    .requiredOption(...TENANT)
    .requiredOption(...KEY)
    .option("--label <text>", "how users read it; a new category needs it")
    .option(
      "--label-in <locale=text>",
      "the same in a language, as de=Angebote; again for more",
      texts,
    )
    .option("--description <text>", "what it is, in a sentence")
    .option("--description-in <locale=text>", "the same in a language", texts)
    .option("--required", "sent whatever users have turned off, and at any hour")
    .option("--no-required", "users may turn it off (the default)")
    .option("--default <on|off>", "off: sent only to users who have turned it on", onOrOff)
    .option("--position <n>", "order among the others: the lowest comes first", integerValue)
    .addHelpText("after", "\nAn empty text after = takes a language away.")
    .action((flags: PutFlags) =>
      run(async ({ db }, categories, categoryNote) => {
        const { tenant: tenantId, key, required, position } = flags;
        const input = {
          ...{ tenantId, key, required, defaultOn: flags.default, position },
          label: inLanguages(flags.label, flags.labelIn),
          description: inLanguages(flags.description, flags.descriptionIn),
        };
        const { after } = await auditedCommand(
          db,
          async (transaction) => {
            const all = await categories.listCategories(transaction, tenantId);
            const before = all.find((one) => one.key === key);
            return { before, after: await categories.putCategory(transaction, input) };
          },
          (change) => {
            const verb = change.before === undefined ? "create" : "update";
            return categoryNote(verb, tenantId, key, { ...change, before: change.before ?? null });
          },
        );
        return after;
      }),
    );

  category
    .command("list")
    .description("A tenant's categories, each with the event types that belong to it")
    .requiredOption(...TENANT)
    .action(({ tenant }: { tenant: string }) =>
      run((session, categories) => categories.listCategories(session.db, tenant)),
    );

  category
    .command("assign")
    .description("Say which category events of a type belong to")
    .requiredOption(...TENANT)
    .requiredOption("--event-type <type>", "as the tenant's events name it")
    .option("--category <key>", "the category's key")
    .option("--no-category", "remove the event type from its category")
    .action((flags: { tenant: string; eventType: string; category?: string | false }) =>
      run(async ({ db }, categories, categoryNote) => {
        const { tenant: tenantId, eventType, category: key } = flags;
        if (key === undefined) {
          const { CommandError } = await import("./command-error.ts");
          throw new CommandError("--category: give --category, or --no-category");
        }
        const category = key === false ? null : key;
        const { after } = await auditedCommand(
          db,
          async (transaction) => {
            const all = await categories.listCategories(transaction, tenantId);
            const before = all.find(({ eventTypes }) => eventTypes.includes(eventType));
            const assigned = { tenantId, eventType, category };
            return { before, after: await categories.assignCategory(transaction, assigned) };
          },
          ({ before }) => {
            const of = category ?? before?.key;
            if (of === undefined) return undefined;
            const verb = category === null ? "unassign" : "assign";
            return categoryNote(verb, tenantId, of, { after: { eventType } });
          },
        );
        return after;
      }),
    );

  category
    .command("delete")
    .description("Delete a category that has no event types; users' choices for it are kept")
    .requiredOption(...TENANT)
    .requiredOption(...KEY)
    .action(({ tenant, key }: { tenant: string; key: string }) =>
      run(({ db }, categories, categoryNote) =>
        auditedCommand(
          db,
          (transaction) => categories.deleteCategory(transaction, { tenantId: tenant, key }),
          (before) => categoryNote("delete", tenant, key, { before }),
        ),
      ),
    );

  return category;
}

type Categories = typeof import("@belfry/administration/users/categories");
type CategoryNote = typeof import("@belfry/administration/users/category-note")["categoryNote"];

async function run(
  work: (session: Session, categories: Categories, note: CategoryNote) => Promise<unknown>,
): Promise<void> {
  await withDatabase(async (session) => {
    const categories = await import("@belfry/administration/users/categories");
    const { categoryNote } = await import("@belfry/administration/users/category-note");
    await printJson(await work(session, categories, categoryNote));
  });
}

function onOrOff(text: string): boolean {
  if (text !== "on" && text !== "off") throw new InvalidArgumentError("It must be on or off.");
  return text === "on";
}

function texts(text: string, before: Record<string, string> = {}): Record<string, string> {
  const at = text.indexOf("=");
  if (at < 1) throw new InvalidArgumentError("It must be as de=Angebote.");
  return { ...before, [text.slice(0, at)]: text.slice(at + 1) };
}

function inLanguages(
  text: string | undefined,
  languages: Record<string, string> | undefined,
): Record<string, string> | undefined {
  if (text === undefined) return languages;
  return { ...languages, "": text };
}
