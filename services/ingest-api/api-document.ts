import type { DocumentParts } from "@belfry/http-api/openapi";
import { webhookDocuments } from "./webhook-documents.ts";

/** What the document says of the interface as a whole. */
export function apiDocument(): DocumentParts {
  return {
    path: "/openapi.json",
    operationId: "openapi",
    title: "Belfry",
    description: [
      "Accepts events from your backend and dispatches them over email, SMS and realtime push.",
      "Every error has the fields statusCode, error and message; a path that is not below is 404, a method that a path does not know 405 with the header Allow.",
      "GET paths answer HEAD too. Every answer has X-Trace-Id.",
    ].join(" "),
    tags: [
      { name: "Events", description: "Send an event, and see what became of it" },
      { name: "Users", description: "Whom you notify, and what they want" },
      { name: "Realtime", description: "Let a user's browser connect" },
      { name: "Notifications", description: "What a user has been shown in your application" },
      { name: "Webhooks", description: "Be told what became of your events" },
      { name: "Packages", description: "What your developers install, from here" },
      { name: "Documentation", description: "This interface, for tools and for people" },
    ],
    webhooks: webhookDocuments(),
  };
}
