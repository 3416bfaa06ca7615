import { runService } from "@belfry/service/run-service";
import { webhookSender } from "./webhook-sender.ts";

await runService(webhookSender);
