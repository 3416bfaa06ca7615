import type { AuditNote } from "../audited.ts";
import type { Provider } from "./providers.ts";

/** How the audit log tells of a provider account; its secrets are masked already. */

/** `before` is undefined where there was none. */
export function providerSaved(before: Provider | undefined, after: Provider): AuditNote {
  return {
    ...noteOf(before === undefined ? "create" : "update", after),
    before: before === undefined ? null : recorded(before),
    after: recorded(after),
  };
}

export function providerActivated(after: Provider): AuditNote {
  return noteOf(after.active ? "activate" : "deactivate", after);
}

export function providerDeleted(before: Provider): AuditNote {
  return { ...noteOf("delete", before), before: recorded(before) };
}

/** `order`: of its channel, after it. */
export function providerMoved(provider: Provider, order: readonly Provider[]): AuditNote {
  return { ...noteOf("move", provider), after: { order: order.map(({ name }) => name) } };
}

/** In use, before all others of its channel. */
export function providerMadeFirst(before: Provider, after: Provider): AuditNote {
  const of = ({ active, position }: Provider) => ({ active, position });
  return { ...noteOf("make-first", after), before: of(before), after: of(after) };
}

export function providerTested(
  provider: Provider,
  outcome: { class: string; vendorStatus: string | null },
): AuditNote {
  const after = { class: outcome.class, vendorStatus: outcome.vendorStatus };
  return { ...noteOf("test", provider), after };
}

function noteOf(verb: string, { tenantId, channel, kind, name }: Provider) {
  const target = name === kind ? `${channel} ${kind}` : `${channel} ${kind} ${name}`;
  return { tenantId, action: `provider.${verb}`, target };
}

function recorded(provider: Provider): object {
  const { kind, name, settings, maxPerSecond, active, position } = provider;
  return { kind, name, settings, maxPerSecond, active, position };
}
