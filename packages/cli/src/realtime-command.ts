import { Command } from "commander";
import { printJson } from "./output.ts";
import { withDatabase } from "./session.ts";

export function realtimeCommand(): Command {
  const realtime = new Command("realtime").description("Positions of realtime clients");
  realtime
    .command("new-epoch")
    .description("After a restore: make every client read its history anew")
    .action(() =>
      withDatabase(async ({ db }) => {
        const { newRealtimeEpoch } = await import("@belfry/administration/realtime-epoch");
        await printJson(await newRealtimeEpoch(db));
      }),
    );
  return realtime;
}
