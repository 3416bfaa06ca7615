import { senderOf } from "@belfry/sending/sender";
import { runService } from "@belfry/service/run-service";

await runService(senderOf("EMAIL"));
