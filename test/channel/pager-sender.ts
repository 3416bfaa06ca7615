import type { ProviderChannel } from "@belfry/contracts/channels";
import { runSender } from "@belfry/sending/sender";
import { senderConfig } from "@belfry/sending/sender-config";
import { loadConfig } from "@belfry/service/config";

/** A program: as `services/sms-sender`, with the row of pager-channel.ts. */
await runSender("PAGER" as ProviderChannel, loadConfig(senderConfig));
