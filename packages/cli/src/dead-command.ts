import type { DeadLetters } from "@belfry/administration/dead-letters/change-dead-letters";
import type { DeadLetterFilter } from "@belfry/administration/dead-letters/dead-letters";
import type { ProviderChannel } from "@belfry/contracts/channels";
import type { Database } from "@belfry/database/connection";
import { Command, InvalidArgumentError } from "commander";
import { auditedCommand } from "./audited-command.ts";
import { CommandError } from "./command-error.ts";
import { ANY_PROVIDER_CHANNEL, providerChannelValue, timeValue } from "./flag-values.ts";
import { printJson } from "./output.ts";
import { withDatabase } from "./session.ts";

interface FilterFlags {
  tenant?: string;
  channel?: ProviderChannel;
  class?: DeadLetterFilter["class"];
  provider?: string;
  since?: Date;
  until?: Date;
}

interface ChangeFlags extends FilterFlags {
  all?: boolean;
  dryRun?: boolean;
}

const LETTERS_PER_PART = 1_000;
const MAX_NAMED = 100;
const CLASSES = [
  ...["permanent", "credentials", "throttled", "transient", "ambiguous"],
  ...["untried", "expired", "unknown", "message"],
];

export function deadCommand(): Command {
  const dead = new Command("dead").description(
    "Dead letters: what was not sent, and rests until a person decides",
  );

  filterFlags(dead.command("list"))
    .description("Groups by tenant, channel, provider and error class, with counts and examples")
    .action((flags: FilterFlags) =>
      withDatabase(async ({ db }) => {
        const { listDeadLetters } = await import(
          "@belfry/administration/dead-letters/dead-letters"
        );
        await printJson(await listDeadLetters(db, filterOf(flags)));
      }),
    );

  dead
    .command("show <id>")
    .description("One delivery with its attempts and what the provider answered, or one message")
    .action((id: string) =>
      withDatabase(async ({ db }) => {
        const { showDeadLetter } = await import("@belfry/administration/dead-letters/dead-letters");
        await printJson(await showDeadLetter(db, id));
      }),
    );

  for (const [name, work, description] of [
    [
      "replay",
      "replayDeadLetters",
      "Send again: a new attempt of the same delivery, never of one that a provider accepted. " +
        "What expired or is unknown goes only by its ID or its --class.",
    ],
    ["discard", "discardDeadLetters", "End for good; the attempts stay to be seen"],
  ] as const) {
    filterFlags(dead.command(`${name} [id...]`))
      .description(description)
      .option("--all", "of every tenant and class, unless other flags choose")
      .option("--dry-run", "say what would be done, and change nothing")
      .action((ids: string[], flags: ChangeFlags) =>
        withDatabase(async ({ db }) => {
          const changes = await import("@belfry/administration/dead-letters/change-dead-letters");
          const letters = lettersOf(ids, flags);
          const done =
            flags.dryRun === true
              ? await changes[work](db, letters, { dryRun: true })
              : await changeAll(db, letters, name, changes[work]);
          await printJson(done);
        }),
      );
  }

  return dead;
}

type Change =
  typeof import("@belfry/administration/dead-letters/change-dead-letters")["replayDeadLetters"];

/** In parts, each with its entry in the audit log: no transaction lasts as long as there are letters. */
async function changeAll(
  db: Database,
  letters: DeadLetters,
  verb: "replay" | "discard",
  change: Change,
) {
  const { deadLetterNote } = await import("@belfry/administration/dead-letters/dead-letter-note");
  const part = (endedBefore: string | undefined) =>
    auditedCommand(
      db,
      (transaction) => change(transaction, letters, { most: LETTERS_PER_PART, endedBefore }),
      ({ count }) => deadLetterNote(verb, letters, count),
    );
  let last = await part(undefined);
  const done = { ...last };
  while (last.more) {
    last = await part(last.endedBefore);
    done.count += last.count;
    done.ids = [...done.ids, ...last.ids].slice(0, MAX_NAMED);
  }
  return { ...done, more: false };
}

function filterFlags(command: Command): Command {
  return command
    .option("--tenant <id>", "the tenant's id")
    .option("--channel <channel>", ANY_PROVIDER_CHANNEL, providerChannelValue)
    .option("--class <class>", CLASSES.join(", "), classValue)
    .option("--provider <kind>", "for example sendgrid")
    .option(
      "--since <time>",
      "ended at or after, as 2026-11-20T12:00:00Z or 24h, 30m, 7d ago",
      timeValue,
    )
    .option("--until <time>", "ended before", timeValue);
}

function filterOf(flags: FilterFlags): DeadLetterFilter {
  const { tenant, channel, provider, since, until } = flags;
  return { tenantId: tenant, channel, class: flags.class, provider, since, until };
}

function lettersOf(ids: string[], flags: ChangeFlags): DeadLetters {
  const filter = filterOf(flags);
  const { tenantId, ...rest } = filter;
  const filtered = Object.values(rest).some((value) => value !== undefined);
  if (ids.length > 0) {
    if (filtered || flags.all === true)
      throw new CommandError("ID: give IDs or a filter, not both");
    return { ids, tenantId };
  }
  if (!filtered && tenantId === undefined && flags.all !== true) {
    throw new CommandError("ID: say which: IDs, a filter such as --tenant or --class, or --all");
  }
  return filter;
}

function classValue(text: string): string {
  if (!CLASSES.includes(text)) {
    throw new InvalidArgumentError(`It must be one of ${CLASSES.join(", ")}.`);
  }
  return text;
}
