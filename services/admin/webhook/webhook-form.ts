import { invalid } from "@belfry/administration/input-error";
import type { WebhookType } from "@belfry/contracts/webhooks";

/** An endpoint as its form has it. */
export interface WebhookValues {
  url: string;
  description: string;
  which: "all" | "some";
  types: readonly string[];
}

export const NEW_WEBHOOK: WebhookValues = { url: "", description: "", which: "all", types: [] };

export function valuesOfWebhook(endpoint: {
  url: string;
  description: string | null;
  types: readonly string[];
}): WebhookValues {
  const { url, description, types } = endpoint;
  return {
    ...{ url, types, description: description ?? "" },
    which: types.length === 0 ? "all" : "some",
  };
}

export function typedWebhook(form: URLSearchParams): WebhookValues {
  return {
    url: (form.get("url") ?? "").trim(),
    description: (form.get("description") ?? "").trim(),
    which: form.get("which") === "some" ? "some" : "all",
    types: form.getAll("types"),
  };
}

/** As administration takes it: no type means all, so choosing none is a fault. Throws `InvalidInput`. */
export function webhookInput({ url, description, which, types }: WebhookValues) {
  if (which === "some" && types.length === 0) {
    throw invalid("types", "must include at least one");
  }
  return {
    url,
    description: description === "" ? null : description,
    // Whatever was sent: the act says what is no type.
    types: which === "all" ? [] : ([...types] as WebhookType[]),
  };
}
