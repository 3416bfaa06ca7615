import type { Access, Role } from "./access.ts";
import type { Membership } from "./memberships.ts";

/** Why a request was not let in. */
export type RefusalReason = "sign-in" | "forbidden" | "forged";

/** Of whom a tenant's page was refused: what they are there, and what it takes. */
export interface RefusedRole {
  tenant: Membership;
  role: Role;
  base: string;
  needed: Access;
}

export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly reason: RefusalReason;
  readonly of: RefusedRole | undefined;

  constructor(reason: RefusalReason, of?: RefusedRole) {
    super(reason);
    this.reason = reason;
    this.of = of;
  }
}
