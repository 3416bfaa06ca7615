import type { LayoutInput } from "@belfry/administration/templates/layout-input";
import type { Database } from "@belfry/database/connection";
import { Command } from "commander";
import { auditedCommand } from "./audited-command.ts";
import { integerValue } from "./flag-values.ts";
import { readInput } from "./input-file.ts";
import { printJson } from "./output.ts";
import { withDatabase } from "./session.ts";

interface LayoutFlags {
  tenant: string;
  contentFile?: string;
  logoUrl?: string;
  primaryColor?: string;
  backgroundColor?: string;
  textColor?: string;
  footerText?: string;
  address?: string;
}

const TENANT = "the tenant's id; platform for the mails of global.*";

export function layoutCommand(): Command {
  const layout = new Command("layout").description(
    "What stands around a tenant's mails in Markdown",
  );

  layout
    .command("put")
    .description(
      "Change the given settings, and republish every mail in Markdown with them; live within 5 s",
    )
    .requiredOption("--tenant <id>", TENANT)
    .option("--content-file <file>", "MJML with {{ $content }}, or -; default: as it is")
    .option("--logo-url <url>", "https; '' for none")
    .option("--primary-color <color>", "of buttons and links, #rrggbb; '' for the platform's")
    .option("--background-color <color>", "behind the content, #rrggbb")
    .option("--text-color <color>", "of words, #rrggbb")
    .option("--footer-text <text>", "below the content, with links as Markdown; '' for none")
    .option("--address <text>", "the sender's postal address; '' for none")
    .addHelpText(
      "after",
      "\nWhat is left out stays. One mail that does not compile in it refuses all.",
    )
    .action(({ tenant, contentFile, ...looks }: LayoutFlags) =>
      withDatabase(async ({ db }) => {
        const content =
          contentFile === undefined ? undefined : await readInput("--content-file", contentFile);
        await printJson(
          await publish(db, { tenantId: tenant, content, ...looks }, "layout.publish"),
        );
      }),
    );

  layout
    .command("show")
    .description("The live layout, or one of its versions")
    .requiredOption("--tenant <id>", TENANT)
    .option("--version <n>", "its number; default: the newest", integerValue)
    .action(({ tenant, version }: { tenant: string; version?: number }) =>
      withDatabase(async ({ db }) => {
        const { showLayout, showLayoutVersion } = await import(
          "@belfry/administration/templates/layouts"
        );
        await printJson(
          version === undefined
            ? await showLayout(db, tenant)
            : await showLayoutVersion(db, tenant, version),
        );
      }),
    );

  layout
    .command("versions")
    .description("All its versions, newest first")
    .requiredOption("--tenant <id>", TENANT)
    .action(({ tenant }: { tenant: string }) =>
      withDatabase(async ({ db }) => {
        const { listLayoutVersions } = await import("@belfry/administration/templates/layouts");
        await printJson(await listLayoutVersions(db, tenant));
      }),
    );

  layout
    .command("restore")
    .description("Publish an older version again, as the newest")
    .requiredOption("--tenant <id>", TENANT)
    .requiredOption("--version <n>", "its number", integerValue)
    .action(({ tenant, version }: { tenant: string; version: number }) =>
      withDatabase(async ({ db }) => {
        const { showLayoutVersion } = await import("@belfry/administration/templates/layouts");
        const old = await showLayoutVersion(db, tenant, version);
        const { content, logoUrl, primaryColor, backgroundColor } = old;
        const { textColor, footerText, address } = old;
        const looks = { content, logoUrl, primaryColor, backgroundColor };
        const input = { tenantId: tenant, ...looks, textColor, footerText, address };
        await printJson(await publish(db, input, "layout.restore"));
      }),
    );

  layout
    .command("remove")
    .description("Back to the platform's layout, with nothing of the tenant's but its name")
    .requiredOption("--tenant <id>", TENANT)
    .action(({ tenant }: { tenant: string }) =>
      withDatabase(async ({ db }) => {
        const { NO_LAYOUT } = await import("@belfry/administration/templates/layout-rows");
        await printJson(await publish(db, { tenantId: tenant, ...NO_LAYOUT }, "layout.remove"));
      }),
    );

  return layout;
}

async function publish(db: Database, input: LayoutInput, action: string) {
  const { prepareLayout, savePreparedLayout } = await import(
    "@belfry/administration/templates/publish-layout"
  );
  const { showLayout } = await import("@belfry/administration/templates/layouts");
  const { preparedAndSaved } = await import("@belfry/administration/input-error");
  const { tenantId } = input;
  return await preparedAndSaved(
    () => prepareLayout(db, input),
    (prepared) =>
      auditedCommand(
        db,
        async (transaction) => {
          const recompiled = await savePreparedLayout(transaction, prepared);
          return { ...(await showLayout(transaction, tenantId)), recompiled };
        },
        ({ version, recompiled }) => ({
          ...{ tenantId, action, target: "layout", after: { version, recompiled } },
        }),
      ),
  );
}
