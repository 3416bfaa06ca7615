import type { Starter } from "./starter.ts";

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
