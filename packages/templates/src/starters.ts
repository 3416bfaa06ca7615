/** Templates to begin with, one set for each common event. */

import { COMMENT_DIGEST, ORDER_ON_ITS_WAY, PAYMENT_FAILED, RECEIPT } from "./order-starters.ts";

/** A set of templates to begin with: one message in each channel, ready to be saved and sent. */
export interface Starter {
  /** Also the name of the starter in URLs of pages. */
  key: string;
  label: string;
  /** Its purpose in one sentence. */
  description: string;
  /** A name for the event type if the tenant has none yet. */
  eventType: string;
  /** Whether the message contains a code or a link that gives access. */
  sensitive: boolean;
  /** Set for a digest: one message for the events of a time window. `key` is the variable that separates digests. */
  digest?: { windowSeconds: number; key: string };
  /** The variables that the message needs. It also reads well if all other variables are missing. */
  requiredVariables: readonly string[];
  /** Sample values as plain JSON. For a digest, `$items` has the events. */
  sampleVariables: Readonly<Record<string, unknown>>;
  /** The content is Markdown. */
  email: { subject: string; content: string };
  text: { content: string };
  notification: { title: string; content: string; url?: string };
}

export const WELCOME: Starter = {
  key: "welcome",
  label: "Welcome",
  description:
    "The first message after somebody signs up, with the one step that is worth taking now.",
  eventType: "user.welcome",
  sensitive: false,
  requiredVariables: ["startUrl"],
  sampleVariables: { name: "Ada", startUrl: "https://example.com/start" },
  email: {
    subject: "Welcome{% if name %}, {{ name }}{% endif %}",
    content: `preheader: Your account is ready. Here is a good place to begin.

# Welcome{% if name %}, {{ name }}{% endif %}

It is good to have you with us. Your account is ready, and this is the best place to begin:

[Get started]({{ startUrl }})

If you get stuck, answer this email. We are happy to help.
`,
  },
  text: {
    content:
      "Welcome{% if name %}, {{ name }}{% endif %}! Your account is ready. Begin here: {{ startUrl }}",
  },
  notification: {
    title: "Welcome{% if name %}, {{ name }}{% endif %}",
    content: "Your account is ready. Here is a good place to begin.",
    url: "{{ startUrl }}",
  },
};

export const VERIFY_ADDRESS: Starter = {
  key: "verify-address",
  label: "Verify address",
  description: "Asks somebody to confirm an address that was entered, with a link that does it.",
  eventType: "user.verify-address",
  sensitive: true,
  requiredVariables: ["verifyUrl"],
  sampleVariables: {
    name: "Ada",
    verifyUrl: "https://example.com/verify/7Hq2mX",
    expiresInHours: 24,
  },
  email: {
    subject: "Confirm your email address",
    content: `preheader: One click, and you are all set.

# Is this your address?

{% if name %}
Hello {{ name }},
{% endif %}

Please confirm that we may write to you here. One click, and you are all set.

[Confirm my address]({{ verifyUrl }})

{% if expiresInHours %}
The link works for {{ expiresInHours | number }} {{ expiresInHours | plural: one: "hour", other: "hours" }}.
{% endif %}

If you did not sign up, there is nothing you need to do.
`,
  },
  text: { content: "Please confirm your address: {{ verifyUrl }}" },
  notification: {
    title: "Confirm your email address",
    content: "One tap, and you are all set.",
    url: "{{ verifyUrl }}",
  },
};

const LIFETIME =
  '{% if expiresInMinutes %}It works for {{ expiresInMinutes | number }} {{ expiresInMinutes | plural: one: "minute", other: "minutes" }}. {% endif %}';

export const ONE_TIME_CODE: Starter = {
  key: "one-time-code",
  label: "One-time code",
  description: "A code to sign in or to confirm something with, easy to read and to copy.",
  eventType: "user.one-time-code",
  sensitive: true,
  requiredVariables: ["code"],
  sampleVariables: { code: "428 117", expiresInMinutes: 10 },
  email: {
    subject: "Your code to sign in",
    content: `preheader: Enter it where you were asked for it.

Enter this code to go on:

# {{ code }}

${LIFETIME}Nobody from us will ever ask you for it.

If you did not ask for a code, somebody may have mistyped an address. You can ignore this email.
`,
  },
  text: { content: `{{ code }} is your code. ${LIFETIME}Nobody from us will ever ask you for it.` },
  notification: {
    title: "{{ code }} is your code",
    content: `${LIFETIME}Enter it where you were asked for it.`,
  },
};

export const PASSWORD_RESET: Starter = {
  key: "password-reset",
  label: "Password reset",
  description: "A link to choose a new password, for whoever asked for one.",
  eventType: "user.password-reset",
  sensitive: true,
  requiredVariables: ["resetUrl"],
  sampleVariables: {
    name: "Ada",
    resetUrl: "https://example.com/reset/9fKd31",
    expiresInMinutes: 60,
  },
  email: {
    subject: "Choose a new password",
    content: `preheader: Here is the link that you asked for.

# Choose a new password

{% if name %}
Hello {{ name }},
{% endif %}

Here is the link that you asked for:

[Choose a new password]({{ resetUrl }})

{% if expiresInMinutes %}
It works once, within the next {{ expiresInMinutes | number }} {{ expiresInMinutes | plural: one: "minute", other: "minutes" }}.
{% endif %}

If you did not ask for it, your password stays as it is and you can ignore this email.
`,
  },
  text: {
    content: "If you asked for a new password, choose it here: {{ resetUrl }}",
  },
  notification: {
    title: "Choose a new password",
    content: "Here is the link that you asked for. If it was not you, nothing changes.",
    url: "{{ resetUrl }}",
  },
};

/** All starters, in the order of the Admin UI. */
export const STARTERS: readonly Starter[] = [
  WELCOME,
  VERIFY_ADDRESS,
  ONE_TIME_CODE,
  PASSWORD_RESET,
  RECEIPT,
  ORDER_ON_ITS_WAY,
  PAYMENT_FAILED,
  COMMENT_DIGEST,
];
