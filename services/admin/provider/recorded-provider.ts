import type { Provider } from "@belfry/administration/providers/providers";

/** How the audit log tells of a provider account; secrets are masked already. */
export function recordedProvider(provider: Provider): object {
  const { kind, name, settings, maxPerSecond, active, position } = provider;
  return { kind, name, settings, maxPerSecond, active, position };
}

/** `EMAIL sendgrid`, and the account's name where it has one. */
export function providerTarget({ channel, kind, name }: Provider): string {
  return name === kind ? `${channel} ${kind}` : `${channel} ${kind} ${name}`;
}
