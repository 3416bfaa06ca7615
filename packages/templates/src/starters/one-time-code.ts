import type { Starter } from "./starter.ts";

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
