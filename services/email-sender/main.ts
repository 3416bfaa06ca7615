import { runSender } from "@belfry/sending/sender";
import { senderConfig } from "@belfry/sending/sender-config";
import { loadConfig } from "@belfry/service/config";

await runSender("EMAIL", loadConfig(senderConfig));
