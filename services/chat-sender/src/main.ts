import { senderOf } from "@belfry/sending/sending";
import { runService } from "@belfry/service/run-service";

await runService(senderOf("CHAT"));
