/** Which tenants may connect. Known answers are kept until the configuration changes. */
export interface TenantStates {
  /** Rejects when it is not known and Postgres does not answer. */
  isActive(tenantId: string): Promise<boolean>;
  /** Without asking. */
  isKnownInactive(tenantId: string): boolean;
  /** Asks anew for the tenants named and those known; returns the ones that are not active. */
  refresh(held: ReadonlySet<string>): Promise<Set<string>>;
}

const MAX_KNOWN = 10_000;

export function createTenantStates(
  findActive: (tenantIds: readonly string[]) => Promise<Set<string>>,
): TenantStates {
  let known = new Map<string, boolean>();
  const asking = new Map<string, Promise<boolean>>();
  let generation = 0;

  const ask = async (tenantId: string): Promise<boolean> => {
    const asked = generation;
    const active = (await findActive([tenantId])).has(tenantId);
    // The configuration changed while the answer was on its way: it may be of before.
    if (asked !== generation) return ask(tenantId);
    if (known.size >= MAX_KNOWN) known.clear();
    known.set(tenantId, active);
    return active;
  };

  return {
    async isActive(tenantId) {
      const answer = known.get(tenantId);
      if (answer !== undefined) return answer;
      let asked = asking.get(tenantId);
      if (asked === undefined) {
        asked = ask(tenantId).finally(() => asking.delete(tenantId));
        asking.set(tenantId, asked);
      }
      return await asked;
    },
    isKnownInactive: (tenantId) => known.get(tenantId) === false,
    async refresh(held) {
      generation += 1;
      const ids = [...new Set([...held, ...known.keys()])];
      const active = ids.length === 0 ? new Set<string>() : await findActive(ids);
      known = new Map(ids.map((id) => [id, active.has(id)]));
      return new Set(ids.filter((id) => !active.has(id)));
    },
  };
}
