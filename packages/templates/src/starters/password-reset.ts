import type { Starter } from "./starter.ts";

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
