import { preparedAndSaved } from "@belfry/administration/input-error";
import type { LayoutInput } from "@belfry/administration/templates/layout-input";
import { NO_LAYOUT } from "@belfry/administration/templates/layout-rows";
import {
  listLayoutVersions,
  showLayout,
  showLayoutVersion,
} from "@belfry/administration/templates/layouts";
import { prepareLayout, savePreparedLayout } from "@belfry/administration/templates/publish-layout";
import type { Command } from "commander";
import { integerValue } from "./flag-values.ts";
import { readInput } from "./input-file.ts";
import { onDatabase, type Session } from "./session.ts";

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

export function define(layout: Command): void {
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
    .action(
      onDatabase(async (session, { tenant, contentFile, ...looks }: LayoutFlags) => {
        const content =
          contentFile === undefined ? undefined : await readInput("--content-file", contentFile);
        return await publish(session, { tenantId: tenant, content, ...looks }, "layout.publish");
      }),
    );

  layout
    .command("show")
    .description("The live layout, or one of its versions")
    .requiredOption("--tenant <id>", TENANT)
    .option("--version <n>", "its number; default: the newest", integerValue)
    .action(
      onDatabase(({ db }, { tenant, version }: { tenant: string; version?: number }) =>
        version === undefined ? showLayout(db, tenant) : showLayoutVersion(db, tenant, version),
      ),
    );

  layout
    .command("versions")
    .description("All its versions, newest first")
    .requiredOption("--tenant <id>", TENANT)
    .action(onDatabase(({ db }, { tenant }: { tenant: string }) => listLayoutVersions(db, tenant)));

  layout
    .command("restore")
    .description("Publish an older version again, as the newest")
    .requiredOption("--tenant <id>", TENANT)
    .requiredOption("--version <n>", "its number", integerValue)
    .action(
      onDatabase(async (session, { tenant, version }: { tenant: string; version: number }) => {
        const old = await showLayoutVersion(session.db, tenant, version);
        const { content, logoUrl, primaryColor, backgroundColor } = old;
        const { textColor, footerText, address } = old;
        const looks = { content, logoUrl, primaryColor, backgroundColor };
        const input = { tenantId: tenant, ...looks, textColor, footerText, address };
        return await publish(session, input, "layout.restore");
      }),
    );

  layout
    .command("remove")
    .description("Back to the platform's layout, with nothing of the tenant's but its name")
    .requiredOption("--tenant <id>", TENANT)
    .action(
      onDatabase((session, { tenant }: { tenant: string }) =>
        publish(session, { tenantId: tenant, ...NO_LAYOUT }, "layout.remove"),
      ),
    );
}

async function publish({ audited, db }: Session, input: LayoutInput, action: string) {
  const { tenantId } = input;
  return await preparedAndSaved(
    () => prepareLayout(db, input),
    (prepared) =>
      audited(
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
