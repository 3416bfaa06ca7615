/** Bounds guessing, per replica: by address, by account, and by both together. */

const WINDOW_MS = 15 * 60_000;
const MAX_ENTRIES = 50_000;
/** The account's own bound is wide: nobody can lock another out from a few addresses. */
const LIMITS = { address: 50, account: 100, both: 10 };

export interface SignInLimits {
  /** Seconds to wait, or 0: the try may be made, and is counted. */
  take(address: string, email: string): number;
  /** A success gives the tries of this address and account back. */
  forgive(address: string, email: string): void;
}

export function createSignInLimits(now: () => number = Date.now): SignInLimits {
  const tries = new Map<string, { count: number; endsAt: number }>();

  const current = (key: string) => {
    const found = tries.get(key);
    if (found !== undefined && found.endsAt > now()) return found;
    // The oldest go first: a Map keeps the order of insertion.
    if (tries.size >= MAX_ENTRIES) tries.delete(tries.keys().next().value!);
    const fresh = { count: 0, endsAt: now() + WINDOW_MS };
    tries.delete(key);
    tries.set(key, fresh);
    return fresh;
  };

  return {
    take(address, email) {
      const counted = [
        { row: current(`address ${address}`), most: LIMITS.address },
        { row: current(`account ${email}`), most: LIMITS.account },
        { row: current(`both ${address} ${email}`), most: LIMITS.both },
      ];
      const full = counted.filter(({ row, most }) => row.count >= most);
      if (full.length > 0) {
        return Math.ceil((Math.max(...full.map(({ row }) => row.endsAt)) - now()) / 1000);
      }
      for (const { row } of counted) row.count += 1;
      return 0;
    },
    forgive(address, email) {
      tries.delete(`both ${address} ${email}`);
    },
  };
}
