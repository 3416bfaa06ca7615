import type { Starter } from "./starter.ts";

const COUNT =
  '{{ comments.size | number }} new {{ comments.size | plural: one: "comment", other: "comments" }}';

export const COMMENT_DIGEST: Starter = {
  key: "comment-digest",
  label: "Comment digest",
  description: "New comments in one message: the newest in full, the rest behind a link.",
  eventType: "comments.digest",
  sensitive: false,
  requiredVariables: ["comments", "title", "url"],
  sampleVariables: {
    title: "Autumn roadmap",
    url: "https://example.com/documents/42",
    comments: [
      {
        author: "Grace",
        text: "I would move the search to the first half: everything else needs it.",
        at: "2026-11-22T09:30:00Z",
      },
      { author: "Alan", text: "Agreed. I can begin on Monday.", at: "2026-11-22T10:05:00Z" },
    ],
  },
  email: {
    subject: `${COUNT} on {{ title }}`,
    content: `preheader: {{ comments.first.author }}: {{ comments.first.text | truncate: 90 }}

# {{ title }}

{% if comments.size == 1 %}
There is a new comment:
{% else %}
There are {{ comments.size | number }} new comments:
{% endif %}

{% for comment in comments limit: 5 %}
> **{{ comment.author }}**{% if comment.at %}, {{ comment.at | date: "medium", "short" }}{% endif %}
> {{ comment.text | newline_to_br }}
{% endfor %}

{% if comments.size > 5 %}
The others are waiting where they were written.
{% endif %}

[Join the conversation]({{ url }})
`,
  },
  text: { content: `${COUNT} on {{ title | truncate: 60 }}: {{ url }}` },
  notification: {
    title: COUNT,
    content: "{{ title }}. {{ comments.last.author }}: {{ comments.last.text | truncate: 120 }}",
    url: "{{ url }}",
  },
};
