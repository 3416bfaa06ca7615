import { ADDRESSES } from "@belfry/contracts/addresses";
import { noAddress, SKIP_REASONS } from "@belfry/contracts/delivery";

/** Where a reader of a reason looks next; `channel-story.ts` knows the addresses. */
export type Place = "templates" | "providers" | "suppressions" | "user" | "tenant";

export interface ReasonRow {
  /** How the words begin that dispatching, claiming and sending write. */
  begins: string;
  /** For a product manager, after "Not sent:"; `{rest}` is what follows the beginning. */
  says: string;
  look?: Place;
}

const SUPPRESSED = "the address is suppressed: ";

/** Every reason that Belfry itself gives, as a plain sentence. The first that fits is taken. */
export const OWN_REASONS: readonly ReasonRow[] = [
  {
    begins: SKIP_REASONS.noTemplate,
    says: "there is no active template of this event type for it",
    look: "templates",
  },
  {
    begins: SKIP_REASONS.notAllowed,
    says: "the operator has not allowed this channel for the tenant",
    look: "tenant",
  },
  { begins: SKIP_REASONS.notRequested, says: "the request asked for other channels only" },
  {
    begins: SKIP_REASONS.noProvider,
    says: "the tenant has no active provider for it",
    look: "providers",
  },
  { begins: SKIP_REASONS.tenantInactive, says: "the tenant was not active", look: "tenant" },
  ...Object.values(ADDRESSES).map(({ field, label }): ReasonRow => {
    const address = label.toLowerCase();
    return {
      begins: noAddress(field),
      says: `the event has no ${address}, and none is in the user’s profile`,
      look: "user",
    };
  }),
  {
    begins: "turned off by the user",
    says: "the user has turned this off{rest}",
    look: "user",
  },
  {
    begins: "not turned on by the user: ",
    says: "the user has not turned this on: {rest}",
    look: "user",
  },
  {
    begins: "address suppressed (bounced)",
    says: `${SUPPRESSED}an earlier message to it bounced`,
    look: "suppressions",
  },
  {
    begins: "address suppressed (complained)",
    says: `${SUPPRESSED}its owner has marked an earlier message as spam`,
    look: "suppressions",
  },
  {
    begins: "address suppressed (opted out)",
    says: `${SUPPRESSED}its owner unsubscribed`,
    look: "suppressions",
  },
  {
    begins: "address suppressed (by hand)",
    says: `${SUPPRESSED}added by hand`,
    look: "suppressions",
  },
  {
    begins: "throttled until ",
    says: "the user already got as many of these as the template allows; the next can be sent at {rest}",
    look: "templates",
  },
  { begins: "read in the inbox", says: "it was already read in the inbox" },
  { begins: "every event of it was cancelled", says: "every event of it was cancelled" },
  {
    begins: "cancelled after a try of unknown outcome",
    says: "it was cancelled after an attempt without an answer",
  },
  { begins: "cancelled", says: "it was cancelled before it was sent" },
  {
    begins: "expired before it ",
    says: "it expired: the time that the template allows for sending was over",
    look: "templates",
  },
  {
    begins: "it would expire before quiet hours end at ",
    says: "it would have expired before quiet hours end at {rest}",
    look: "user",
  },
  {
    begins: "variable missing: ",
    says: "the event has no value for {rest}, which the template requires",
    look: "templates",
  },
  {
    begins: "rendered content too large",
    says: "with these values the message became too large",
    look: "templates",
  },
  {
    begins: "too costly to render",
    says: "the template takes too much work to render with these values",
    look: "templates",
  },
  {
    begins: "the stored template cannot be read",
    says: "the template is damaged; publish it again",
    look: "templates",
  },
  {
    begins: "the template cannot be rendered",
    says: "the template could not be rendered with these values",
    look: "templates",
  },
  { begins: "the template is gone", says: "the template was deleted before it could be sent" },
  { begins: "the event is gone", says: "the event was deleted before it could be sent" },
  { begins: "the recipient is gone", says: "the address was erased before it could be sent" },
  { begins: "the variables cannot be read", says: "the values of the event cannot be read" },
  {
    begins: "the subject is empty",
    says: "with these values the subject is empty",
    look: "templates",
  },
  {
    begins: "the message is empty",
    says: "with these values the text is empty",
    look: "templates",
  },
  {
    begins: "the subject has control characters",
    says: "with these values the subject has control characters",
    look: "templates",
  },
  {
    begins: "the recipient's address is not one email address",
    says: "the address is not a valid email address",
    look: "user",
  },
  {
    begins: "the recipient's number is not in E.164 form",
    says: "the number is not a phone number with country code, such as +12025550123",
    look: "user",
  },
  {
    begins: "the provider's settings cannot be read",
    says: "the settings of the provider cannot be read: save them again",
    look: "providers",
  },
  {
    begins: "no provider of the kind ",
    says: "the provider {rest} is no longer supported",
    look: "providers",
  },
  {
    begins: "the mail server offers no way to log in with these credentials",
    says: "the mail server rejected the user name and password in the settings",
    look: "providers",
  },
  { begins: "no connection to the mail server", says: "the mail server could not be reached" },
  { begins: "no connection to the vendor", says: "the provider could not be reached" },
  {
    begins: "the message left and no reply came",
    says: "the connection broke before the mail server had answered: it may have the message",
  },
  {
    begins: "the request left and no answer came",
    says: "the connection broke before the provider had answered: it may have the message",
  },
  {
    begins: "the sender ended before the outcome was known",
    says: "Belfry was stopped while it was sending: the provider may have the message",
  },
];
