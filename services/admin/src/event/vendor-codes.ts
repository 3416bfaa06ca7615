import type { Place } from "./own-reasons.ts";

/** The meaning of a vendor's code, for a product manager. If a code is not listed, the vendor's words are shown. */
export interface CodeRow {
  says: string;
  look?: Place;
}

/** The beginning of sentences about a mail server's answer. */
const SERVER = "the mail server says that ";

const NO_ADDRESS: CodeRow = { says: `${SERVER}this address does not exist` };
const FULL: CodeRow = { says: `${SERVER}the mailbox is full` };
const POLICY: CodeRow = {
  says: `${SERVER}it does not take this mail: its rules against spam refuse it`,
};
const UNPROVEN: CodeRow = {
  says: `${SERVER}it is not proven that this mail is from your domain (SPF, DKIM or DMARC)`,
  look: "providers",
};
const LOGIN: CodeRow = {
  says: "the mail server refuses the user name and password of the settings",
  look: "providers",
};

const QUOTA: CodeRow = {
  says: `${SERVER}this account has sent as much as it may for now`,
  look: "providers",
};
const NOT_ITS_SENDER: CodeRow = {
  says: `${SERVER}this account may not send from the sender's address`,
  look: "providers",
};

/** Enhanced status codes of RFC 3463 and RFC 7372, without their class (4 or 5). */
export const MAIL_STATUS: Readonly<Record<string, CodeRow>> = {
  "1.0": { says: `${SERVER}something is wrong with this address` },
  "1.1": NO_ADDRESS,
  "1.2": { says: `${SERVER}the domain of this address takes no mail` },
  "1.3": { says: `${SERVER}this is not an email address` },
  "1.6": { says: `${SERVER}this address has moved` },
  "1.10": { says: `${SERVER}the domain of this address takes no mail` },
  "1.90": QUOTA,
  "1.7": { says: `${SERVER}the sender's address is not one`, look: "providers" },
  "1.8": { says: `${SERVER}the domain of the sender's address does not exist`, look: "providers" },
  "2.0": { says: `${SERVER}something is wrong with this mailbox` },
  "2.1": { says: `${SERVER}this mailbox is switched off` },
  "2.2": FULL,
  "2.3": { says: `${SERVER}the mail is too large for this mailbox` },
  "2.252": NOT_ITS_SENDER,
  "3.1": { says: `${SERVER}it has no room for mail now` },
  "3.4": { says: `${SERVER}the mail is too large` },
  "4.1": { says: "the server of this address does not answer" },
  "4.4": { says: "no server takes mail for this address" },
  "4.5": QUOTA,
  "4.7": { says: "the server of this address has not taken the mail in time" },
  "7.0": POLICY,
  "7.1": POLICY,
  "7.8": LOGIN,
  "7.9": LOGIN,
  "7.57": LOGIN,
  "7.60": NOT_ITS_SENDER,
  "7.20": UNPROVEN,
  "7.22": UNPROVEN,
  "7.23": UNPROVEN,
  "7.24": UNPROVEN,
  "7.25": UNPROVEN,
  "7.26": UNPROVEN,
};

/** Replies of a mail server without enhanced codes (RFC 5321, 4.2.3), some with the command that they answer. */
export const SMTP_REPLIES: Readonly<Record<string, CodeRow>> = {
  "421": { says: `${SERVER}it takes no mail now` },
  "450 RCPT TO": { says: `${SERVER}this mailbox cannot be reached now` },
  "451": { says: `${SERVER}it cannot take the mail now` },
  "452": { says: `${SERVER}it has no room for mail now` },
  "530": LOGIN,
  "534": LOGIN,
  "535": LOGIN,
  "538": LOGIN,
  "550 RCPT TO": { says: `${SERVER}this address does not exist, or takes no mail from you` },
  "551 RCPT TO": { says: `${SERVER}this address is not one of its own` },
  "552": { says: `${SERVER}the mail is too large, or the mailbox full` },
  "553 RCPT TO": { says: `${SERVER}this is not an email address that it knows` },
  "550 DATA": POLICY,
  "554 DATA": POLICY,
};

const NOT_A_NUMBER: CodeRow = {
  says: "the provider says that this is no number that gets text messages",
};
const LANDLINE: CodeRow = { says: "the provider says that this number is no mobile phone" };
const STOPPED: CodeRow = {
  says: "the provider says that the owner of this number has answered STOP",
  look: "suppressions",
};
const NO_ROUTE: CodeRow = {
  says: "the provider says that it cannot reach this number from yours",
  look: "providers",
};
const TOO_LONG: CodeRow = {
  says: "the provider says that the text is too long",
  look: "templates",
};
const ACCOUNT: CodeRow = {
  says: "the provider refuses the account: its key, its credit or what it may do",
  look: "providers",
};
const SENDER: CodeRow = {
  says: "the provider refuses the sender's number or name of the settings",
  look: "providers",
};
const NO_COUNTRY: CodeRow = {
  says: "the account may not send to the country of this number",
  look: "providers",
};
const TOO_FAST: CodeRow = { says: "the provider was given more messages than it takes at a time" };

const UNVERIFIED: CodeRow = {
  says: "the account is a trial one, which sends to numbers that it has confirmed alone",
  look: "providers",
};
const UNVERIFIED_SENDER: CodeRow = {
  says: "the provider has not verified the sender's address or domain of the settings",
  look: "providers",
};
const ON_THEIR_LIST: CodeRow = {
  says: "the provider sends nothing more to this address: it has bounced, complained or unsubscribed there",
  look: "suppressions",
};
const NOT_YET_FREE: CodeRow = {
  says: "the provider has not yet approved the account",
  look: "providers",
};
const QUOTA_OF_ACCOUNT: CodeRow = {
  says: "the account has sent as much as its plan allows for now",
  look: "providers",
};

const named = (row: CodeRow, ...codes: string[]) =>
  Object.fromEntries(codes.map((code) => [code, row]));
const each = (row: CodeRow, ...codes: number[]) =>
  Object.fromEntries(codes.map((code) => [code, row]));

/** The vendors' own codes, by the provider's kind. */
export const VENDOR_CODES: Readonly<Record<string, Readonly<Record<string, CodeRow>>>> = {
  twilio: {
    ...each(ACCOUNT, 20003, 20005, 20008, 20404, 30002),
    ...each(SENDER, 21212, 21603, 21606, 21659, 21660),
    ...each(NOT_A_NUMBER, 21211, 21265, 21604),
    ...each(NO_COUNTRY, 21408),
    ...each(STOPPED, 21610),
    ...each(NO_ROUTE, 21612),
    ...each(LANDLINE, 21614, 21635),
    ...each(TOO_LONG, 21617),
    ...each(TOO_FAST, 14107, 20429, 21611, 30001, 63038),
    ...each(UNVERIFIED, 21608),
  },
  vonage: {
    ...each(STOPPED, 9),
    ...each(TOO_FAST, 1000),
    ...each(ACCOUNT, 1060, 1080, 1140),
    ...each(TOO_LONG, 1090),
    ...each(SENDER, 1120),
    ...each(NO_COUNTRY, 1160),
    "1050": { says: "the provider says that this number may not be sent to" },
    "1070": { says: "the account has no credit left", look: "providers" },
  },
  plivo: {
    ...each(ACCOUNT, 401, 402, 404),
    ...each(NOT_A_NUMBER, 50),
    ...each(SENDER, 40),
    ...each(NO_ROUTE, 90),
    ...each(TOO_LONG, 110),
    ...each(STOPPED, 200),
    ...each(NO_COUNTRY, 450),
    ...each(TOO_FAST, 429),
    invalid_number: NOT_A_NUMBER,
  },
  telnyx: {
    ...each(ACCOUNT, 10009, 10010, 40311, 40312, 40313, 40314),
    ...each(SENDER, 40013, 40100, 40305, 40306, 40315, 40321, 40329),
    ...each(NOT_A_NUMBER, 10002, 10016, 40012, 40310),
    ...each(LANDLINE, 40001),
    ...each(NO_COUNTRY, 40309),
    ...each(UNVERIFIED, 10039),
    ...each(TOO_LONG, 40302, 40328),
    ...each(TOO_FAST, 10011, 40011, 40318),
  },
  bird: {
    ...each(ACCOUNT, 401, 402, 403, 404),
    ...each(TOO_FAST, 429),
  },
  sns: {
    AuthorizationError: ACCOUNT,
    InvalidClientTokenId: ACCOUNT,
    InvalidSecurity: ACCOUNT,
    OptedOut: STOPPED,
    SignatureDoesNotMatch: ACCOUNT,
    Throttled: TOO_FAST,
    Throttling: TOO_FAST,
    UserError: UNVERIFIED,
  },
  ses: {
    ...named(ACCOUNT, "AccountSuspendedException", "AccessDeniedException", "InvalidClientTokenId"),
    ...named(ACCOUNT, "SignatureDoesNotMatch", "IncompleteSignature", "SendingPausedException"),
    ...named(TOO_FAST, "ThrottlingException", "TooManyRequestsException"),
    MailFromDomainNotVerifiedException: UNVERIFIED_SENDER,
    MessageRejected: { says: "Amazon SES does not take this mail", look: "providers" },
    NotFoundException: {
      says: "Amazon SES does not know the configuration set of the settings",
      look: "providers",
    },
    Permanent: NO_ADDRESS,
  },
  postmark: {
    ...each(ACCOUNT, 10, 405, 413),
    ...each(UNVERIFIED_SENDER, 400, 401),
    "406": ON_THEIR_LIST,
    "412": NOT_YET_FREE,
    "429": TOO_FAST,
    "1235": { says: "Postmark does not know the message stream", look: "providers" },
    ...named(NO_ADDRESS, "HardBounce", "BadEmailAddress"),
    SpamNotification: POLICY,
    Blocked: POLICY,
    DMARCPolicy: UNPROVEN,
  },
  mailgun: {
    ...each(ACCOUNT, 401, 402, 403),
    ...each(ON_THEIR_LIST, 605, 606, 607),
    "429": TOO_FAST,
  },
  resend: {
    ...named(ACCOUNT, "missing_api_key", "invalid_api_key", "restricted_api_key"),
    ...named(QUOTA_OF_ACCOUNT, "daily_quota_exceeded", "monthly_quota_exceeded"),
    invalid_from_address: UNVERIFIED_SENDER,
    rate_limit_exceeded: TOO_FAST,
    OnAccountSuppressionList: ON_THEIR_LIST,
    Permanent: NO_ADDRESS,
  },
  brevo: {
    ...named(ACCOUNT, "unauthorized", "permission_denied", "not_enough_credits"),
    account_under_validation: NOT_YET_FREE,
    "429": TOO_FAST,
    hard_bounce: NO_ADDRESS,
    invalid_email: { says: "Brevo says that this is not an email address" },
    blocked: ON_THEIR_LIST,
  },
  sendgrid: {
    "400": { says: "SendGrid says that something is wrong with the message" },
    "401": { says: "SendGrid refuses the API key of the settings", look: "providers" },
    "403": {
      says: "SendGrid does not let this account send from this address",
      look: "providers",
    },
    "413": { says: "SendGrid says that the mail is too large", look: "templates" },
    "429": TOO_FAST,
    "Bounced Address": NO_ADDRESS,
    Invalid: { says: "SendGrid says that this is not an email address" },
    "Spam Reporting Address": { says: "its owner has marked an earlier mail as spam" },
    "Unsubscribed Address": { says: "its owner has unsubscribed at SendGrid" },
  },
};
