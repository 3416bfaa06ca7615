import type { TemplateSettingsInput } from "@belfry/administration/templates/template-settings";
import type { DigestSettings } from "@belfry/contracts/timing";

/** When what a template makes leaves, as its form holds it: text as it was typed. */
export interface TimingValues {
  /** Empty: each event is sent by itself. */
  digestKind: "" | "window" | "at";
  digestWindowSeconds: string;
  digestSliding: boolean;
  digestMaxSeconds: string;
  digestAt: string;
  /** ISO days of the week; none: every day. */
  digestDays: string[];
  digestKey: string;
  digestLeading: boolean;
  /** Both empty: as many as there are. */
  throttleCount: string;
  throttleSeconds: string;
  afterUnreadSeconds: string;
}

export const NO_TIMING: TimingValues = {
  digestKind: "",
  digestWindowSeconds: "",
  digestSliding: false,
  digestMaxSeconds: "",
  digestAt: "",
  digestDays: [],
  digestKey: "",
  digestLeading: false,
  throttleCount: "",
  throttleSeconds: "",
  afterUnreadSeconds: "",
};

export function timingOfForm(form: URLSearchParams): TimingValues {
  const text = (name: string) => (form.get(name) ?? "").trim();
  const kind = form.get("digestKind");
  return {
    digestKind: kind === "window" || kind === "at" ? kind : "",
    digestWindowSeconds: text("digestWindowSeconds"),
    digestSliding: form.has("digestSliding"),
    digestMaxSeconds: text("digestMaxSeconds"),
    digestAt: text("digestAt"),
    digestDays: form.getAll("digestDays"),
    digestKey: text("digestKey"),
    digestLeading: form.has("digestLeading"),
    throttleCount: text("throttleCount"),
    throttleSeconds: text("throttleSeconds"),
    afterUnreadSeconds: text("afterUnreadSeconds"),
  };
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
  const both = {
    ...(digestKey === "" ? {} : { key: digestKey }),
    ...(digestLeading ? { leading: true } : {}),
  };
  if (digestKind === "at") {
    const days = values.digestDays.map(numberOf);
    return { at: values.digestAt, ...(days.length === 0 ? {} : { days }), ...both };
  }
  return {
    windowSeconds: numberOf(values.digestWindowSeconds),
    ...(digestSliding ? { sliding: true } : {}),
    ...(digestSliding && digestMaxSeconds !== "" ? { maxSeconds: numberOf(digestMaxSeconds) } : {}),
    ...both,
  };
}

export function timingValues({
  digest,
  throttle,
  afterUnreadSeconds,
}: TemplateSettingsInput): TimingValues {
  const text = (value: number | null | undefined) => String(value ?? "");
  return {
    ...NO_TIMING,
    ...(digest == null
      ? {}
      : {
          digestKind: digest.at === undefined ? "window" : "at",
          digestWindowSeconds: text(digest.windowSeconds),
          digestSliding: digest.sliding === true,
          digestMaxSeconds: text(digest.maxSeconds),
          digestAt: digest.at ?? "",
          digestDays: (digest.days ?? []).map(String),
          digestKey: digest.key ?? "",
          digestLeading: digest.leading === true,
        }),
    throttleCount: text(throttle?.count),
    throttleSeconds: text(throttle?.seconds),
    afterUnreadSeconds: text(afterUnreadSeconds),
  };
}

function numberOf(text: string): number {
  return /^\d{1,15}$/.test(text) ? Number(text) : 0;
}
