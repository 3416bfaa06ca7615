import { type Channel, TO_DEVICES } from "@belfry/contracts/channels";
import { lineFault } from "@belfry/templates/line";
import { checkLinks } from "@belfry/templates/push-links";
import type { InputFault } from "../input-error.ts";
import { jsonOf, type Kind, writtenFault } from "./setting-kinds.ts";
import type { TemplateSettingsInput } from "./template-settings.ts";

const MAX_DATA_FIELDS = 32;
const MAX_VALUE_BYTES = 1024;
/** Names that Android and Apple reserve, and the fields of our own payload. */
const RESERVED = /^(?:from|notification|message_type|aps|google|gcm|url|image|id|eventId)/;

/** The values that the app gets beside the text, by name. Each is a text in the template language. */
export const dataKind: Kind<Record<string, string>> = {
  keywords: { type: "object", additionalProperties: { type: "string" } },
  fault(value) {
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      return "must be an object of texts";
    }
    const fields = Object.entries(value);
    if (fields.length > MAX_DATA_FIELDS) return `must have at most ${MAX_DATA_FIELDS} fields`;
    if (fields.some(([name]) => !/^[\w.-]{1,64}$/.test(name))) {
      return "has a field whose name is not 1 to 64 of letters, digits and _ . -";
    }
    return fields.map(([, text]) => writtenFault(text, MAX_VALUE_BYTES)).find(Boolean);
  },
  read: (text) => {
    const read = jsonOf(text);
    return dataKind.fault(read) === undefined ? (read as Record<string, string>) : undefined;
  },
  write: JSON.stringify,
  form: 'a JSON object of texts, such as {"order": "{{orderId}}"}',
};

/** Returns the faults of the settings that only messages to devices have. */
export function deviceFaults(
  channel: Channel,
  { image, data, collapseKey }: Pick<TemplateSettingsInput, "image" | "data" | "collapseKey">,
): InputFault[] {
  const given = { image, data, collapseKey };
  const named = Object.entries(given).filter(([, value]) => value != null && value !== "");
  if (channel !== TO_DEVICES) {
    return named.map(([field]) => ({ field, message: `is only for ${TO_DEVICES}` }));
  }
  const faults: InputFault[] = [];
  if (image) {
    const [fault] = checkLinks({ url: image }).faults;
    if (fault !== undefined) faults.push({ field: "image", message: fault.message });
  }
  const fault = collapseKey ? lineFault(collapseKey) : undefined;
  if (fault !== undefined) faults.push({ field: "collapseKey", message: fault });
  for (const [name, text] of Object.entries(data ?? {})) {
    const message = RESERVED.test(name) ? "is a reserved name" : lineFault(text);
    if (message !== undefined) faults.push({ field: "data", message: `${name}: ${message}` });
  }
  return faults;
}
