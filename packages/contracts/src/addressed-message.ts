import { encodeRealtimeMessage, type RealtimeMessage } from "./realtime-message.ts";
import { realtimeSubject } from "./streams.ts";
import { userSubjectToken } from "./user-subject.ts";

/** What is published on core NATS so that every gateway with connections of the message's user hears it. */
export function addressedMessage(prefix: string, tenantId: string, message: RealtimeMessage) {
  return {
    subject: realtimeSubject(prefix, tenantId, userSubjectToken(message.userId)),
    message: encodeRealtimeMessage(message),
  };
}
