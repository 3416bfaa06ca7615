import type { TemplateSettingsInput } from "@belfry/administration/templates/template-settings";
import type { DigestSettings } from "@belfry/contracts/timing";

const TEXTS = [
  "digestWindowSeconds",
  "digestMaxSeconds",
  "digestAt",
  "digestKey",
  "throttleCount",
  "throttleSeconds",
  "afterUnreadSeconds",
] as const;
const SWITCHES = ["digestSliding", "digestLeading"] as const;

/** When what a template makes leaves, as its form holds it: text as it was typed, empty where it is not set. */
export type TimingValues = Record<(typeof TEXTS)[number], string> &
  Record<(typeof SWITCHES)[number], boolean> & {
    /** Empty: each event is sent by itself. */
    digestKind: "" | "window" | "at";
    /** ISO days of the week; none: every day. */
    digestDays: string[];
  };

export function timingOfForm(form: URLSearchParams): TimingValues {
  const kind = form.get("digestKind");
  return {
    ...Object.fromEntries(TEXTS.map((name) => [name, (form.get(name) ?? "").trim()])),
    ...Object.fromEntries(SWITCHES.map((name) => [name, form.has(name)])),
    digestKind: kind === "window" || kind === "at" ? kind : "",
    digestDays: form.getAll("digestDays"),
  } as TimingValues;
}

/** What is not a number is kept as one that no rule takes. */
export function timingInput(values: TimingValues): TemplateSettingsInput {
  const { throttleCount, throttleSeconds, afterUnreadSeconds } = values;
  const isThrottled = throttleCount !== "" || throttleSeconds !== "";
  return {
    digest: digestInput(values),
    throttle: isThrottled
      ? { count: numberOf(throttleCount), seconds: numberOf(throttleSeconds) }
      : null,
    afterUnreadSeconds: afterUnreadSeconds === "" ? null : numberOf(afterUnreadSeconds),
  };
}

function digestInput(values: TimingValues): DigestSettings | null {
  const { digestKind, digestKey, digestLeading, digestSliding, digestMaxSeconds } = values;
  if (digestKind === "") return null;
  const digest: DigestSettings = {};
  if (digestKey !== "") digest.key = digestKey;
  if (digestLeading) digest.leading = true;
  if (digestKind === "at") {
    digest.at = values.digestAt;
    if (values.digestDays.length > 0) digest.days = values.digestDays.map(numberOf);
    return digest;
  }
  digest.windowSeconds = numberOf(values.digestWindowSeconds);
  if (digestSliding) digest.sliding = true;
  if (digestSliding && digestMaxSeconds !== "") digest.maxSeconds = numberOf(digestMaxSeconds);
  return digest;
}

export function timingValues(settings: TemplateSettingsInput): TimingValues {
  const { digest, throttle, afterUnreadSeconds } = settings;
  const text = (value: number | string | null | undefined) => String(value ?? "");
  return {
    digestKind: digest == null ? "" : digest.at === undefined ? "window" : "at",
    digestWindowSeconds: text(digest?.windowSeconds),
    digestSliding: digest?.sliding === true,
    digestMaxSeconds: text(digest?.maxSeconds),
    digestAt: text(digest?.at),
    digestDays: (digest?.days ?? []).map(String),
    digestKey: text(digest?.key),
    digestLeading: digest?.leading === true,
    throttleCount: text(throttle?.count),
    throttleSeconds: text(throttle?.seconds),
    afterUnreadSeconds: text(afterUnreadSeconds),
  };
}

function numberOf(text: string): number {
  return /^\d{1,15}$/.test(text) ? Number(text) : 0;
}
