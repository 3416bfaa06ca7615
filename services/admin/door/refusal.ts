/** Why a request was not let in. */
export type RefusalReason = "sign-in" | "forbidden" | "forged";

export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly reason: RefusalReason;

  constructor(reason: RefusalReason) {
    super(reason);
    this.reason = reason;
  }
}
