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

/** By where a reader looks next: how the words begin, and what they say. */
const REASONS: Readonly<Record<Place | "nowhere", readonly [begins: string, says: string][]>> = {
  templates: [
    [SKIP_REASONS.noTemplate, "there is no active template of this event type for it"],
    [
      "throttled until ",
      "the user already got as many of these as the template allows; the next can be sent at {rest}",
    ],
    ["expired before it ", "it expired: the time that the template allows for sending was over"],
    ["variable missing: ", "the event has no value for {rest}, which the template requires"],
    ["rendered content too large", "with these values the message became too large"],
    ["too costly to render", "the template takes too much work to render with these values"],
    ["the stored template cannot be read", "the template is damaged; publish it again"],
    ["the template cannot be rendered", "the template could not be rendered with these values"],
    ["nothing to say", "with these values the message has no word to read"],
    ["the subject is empty", "with these values the subject is empty"],
    ["the message is empty", "with these values the text is empty"],
    ["the subject has control characters", "with these values the subject has control characters"],
  ],
  providers: [
    [SKIP_REASONS.noProvider, "the tenant has no active provider for it"],
    [
      "the provider's settings cannot be read",
      "the settings of the provider cannot be read: save them again",
    ],
    ["no provider of the kind ", "the provider {rest} is no longer supported"],
    [
      "the mail server offers no way to log in with these credentials",
      "the mail server rejected the user name and password in the settings",
    ],
  ],
  suppressions: [
    ["address suppressed (bounced)", `${SUPPRESSED}an earlier message to it bounced`],
    [
      "address suppressed (complained)",
      `${SUPPRESSED}its owner has marked an earlier message as spam`,
    ],
    ["address suppressed (opted out)", `${SUPPRESSED}its owner unsubscribed`],
    ["address suppressed (by hand)", `${SUPPRESSED}added by hand`],
  ],
  user: [
    ...Object.values(ADDRESSES).map(({ field, label }): [string, string] => [
      noAddress(field),
      `the event has no ${label.toLowerCase()}, and none is in the user’s profile`,
    ]),
    ["turned off by the user", "the user has turned this off{rest}"],
    ["not turned on by the user: ", "the user has not turned this on: {rest}"],
    [
      "it would expire before quiet hours end at ",
      "it would have expired before quiet hours end at {rest}",
    ],
    [
      "the recipient's address is not one email address",
      "the address is not a valid email address",
    ],
    [
      "the recipient's number is not in E.164 form",
      "the number is not a phone number with country code, such as +12025550123",
    ],
  ],
  tenant: [
    [SKIP_REASONS.notAllowed, "the operator has not allowed this channel for the tenant"],
    [SKIP_REASONS.tenantInactive, "the tenant was not active"],
  ],
  nowhere: [
    [SKIP_REASONS.notRequested, "the request asked for other channels only"],
    ["read in the inbox", "it was already read in the inbox"],
    ["every event of it was cancelled", "every event of it was cancelled"],
    [
      "cancelled after a try of unknown outcome",
      "it was cancelled after an attempt without an answer",
    ],
    ["cancelled", "it was cancelled before it was sent"],
    ["the template is gone", "the template was deleted before it could be sent"],
    ["the event is gone", "the event was deleted before it could be sent"],
    ["the recipient is gone", "the address was erased before it could be sent"],
    ["the variables cannot be read", "the values of the event cannot be read"],
    ["no connection to the mail server", "the mail server could not be reached"],
    ["no connection to the vendor", "the provider could not be reached"],
    [
      "the message left and no reply came",
      "the connection broke before the mail server had answered: it may have the message",
    ],
    [
      "the request left and no answer came",
      "the connection broke before the provider had answered: it may have the message",
    ],
    [
      "the sender ended before the outcome was known",
      "Belfry was stopped while it was sending: the provider may have the message",
    ],
  ],
};

/** Every reason that Belfry itself gives, as a plain sentence. The first that fits is taken. */
export const OWN_REASONS = Object.entries(REASONS).flatMap(([place, rows]) =>
  rows.map(([begins, says]): ReasonRow => {
    return { begins, says, ...(place !== "nowhere" && { look: place as Place }) };
  }),
);
