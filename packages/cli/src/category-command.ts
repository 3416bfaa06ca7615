import {
  assignCategory,
  deleteCategory,
  listCategories,
  putCategory,
} from "@belfry/administration/users/categories";
import { categoryNote } from "@belfry/administration/users/category-note";
import { type Command, InvalidArgumentError } from "commander";
import { CommandError } from "./command-error.ts";
import { integerValue } from "./flag-values.ts";
import { onDatabase } from "./session.ts";

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

export function define(category: Command): void {
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
    .action(
      onDatabase(async ({ audited }, flags: PutFlags) => {
        const { tenant: tenantId, key, required, position } = flags;
        const input = {
          ...{ tenantId, key, required, defaultOn: flags.default, position },
          label: inLanguages(flags.label, flags.labelIn),
          description: inLanguages(flags.description, flags.descriptionIn),
        };
        const { after } = await audited(
          async (transaction) => {
            const all = await listCategories(transaction, tenantId);
            const before = all.find((one) => one.key === key);
            return { before, after: await putCategory(transaction, input) };
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
    .action(
      onDatabase((session, { tenant }: { tenant: string }) => listCategories(session.db, tenant)),
    );

  category
    .command("assign")
    .description("Say which category events of a type belong to")
    .requiredOption(...TENANT)
    .requiredOption("--event-type <type>", "as the tenant's events name it")
    .option("--category <key>", "the category's key")
    .option("--no-category", "remove the event type from its category")
    .action(
      onDatabase(
        async (
          { audited },
          flags: { tenant: string; eventType: string; category?: string | false },
        ) => {
          const { tenant: tenantId, eventType, category: key } = flags;
          if (key === undefined) {
            throw new CommandError("--category: give --category, or --no-category");
          }
          const category = key === false ? null : key;
          const { after } = await audited(
            async (transaction) => {
              const all = await listCategories(transaction, tenantId);
              const before = all.find(({ eventTypes }) => eventTypes.includes(eventType));
              const assigned = { tenantId, eventType, category };
              return { before, after: await assignCategory(transaction, assigned) };
            },
            ({ before }) => {
              const of = category ?? before?.key;
              if (of === undefined) return undefined;
              const verb = category === null ? "unassign" : "assign";
              return categoryNote(verb, tenantId, of, { after: { eventType } });
            },
          );
          return after;
        },
      ),
    );

  category
    .command("delete")
    .description("Delete a category that has no event types; users' choices for it are kept")
    .requiredOption(...TENANT)
    .requiredOption(...KEY)
    .action(
      onDatabase(({ audited }, { tenant, key }: { tenant: string; key: string }) =>
        audited(
          (transaction) => deleteCategory(transaction, { tenantId: tenant, key }),
          (before) => categoryNote("delete", tenant, key, { before }),
        ),
      ),
    );
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

function inLanguages(text: string | undefined, languages: Record<string, string> | undefined) {
  if (text === undefined) return languages;
  return { ...languages, "": text };
}
