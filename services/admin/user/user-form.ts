import type { User, UserInput } from "@belfry/administration/users/users";

/** A user as its form has it. */
export interface UserValues {
  userId: string;
  email: string;
  phone: string;
  locale: string;
  timezone: string;
  /** Both empty: the tenant's. */
  quietFrom: string;
  quietTo: string;
  /** When what the form began with was saved; empty: the user was not known. */
  seen: string;
}

export function valuesOfUser(userId: string, user: User | undefined): UserValues {
  return {
    userId,
    email: user?.email ?? "",
    phone: user?.phone ?? "",
    locale: user?.locale ?? "",
    timezone: user?.timezone ?? "",
    quietFrom: user?.quietHours?.from ?? "",
    quietTo: user?.quietHours?.to ?? "",
    seen: user?.updatedAt ?? "",
  };
}

export function typedUser(form: URLSearchParams): UserValues {
  const text = (name: string) => (form.get(name) ?? "").trim();
  return {
    // Not trimmed: it is the tenant's own id, to the letter.
    userId: form.get("user") ?? "",
    ...{ email: text("email"), phone: text("phone"), locale: text("locale") },
    timezone: text("timezone"),
    ...{ quietFrom: text("quietFrom"), quietTo: text("quietTo"), seen: text("seen") },
  };
}

export function userInput(values: UserValues): UserInput {
  const { userId, email, phone, locale, timezone, quietFrom: from, quietTo: to } = values;
  const quietHours = from === "" && to === "" ? null : { from, to };
  const [language, zone] = [locale || null, timezone || null];
  return { userId, email, phone, locale: language, timezone: zone, quietHours };
}
