import type { Starter } from "./starter.ts";

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
