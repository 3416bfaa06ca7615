import type { ProviderChannel } from "@belfry/contracts/channels";
import { senderOf } from "@belfry/sending/sending";
import { runService } from "@belfry/service/run-service";

/** A sender program like `services/sms-sender`, with the channel row of pager-channel.ts. */
await runService(senderOf("PAGER" as ProviderChannel));
