import { InvalidInput, NotFound, TooLate } from "@belfry/administration/input-error";
import { Problem } from "@belfry/contracts/problems";

/** Whose absence means that the key's tenant was deleted in this moment. */
const OF_TENANT = ["tenant", "tenantId"];

/** Runs what administration does, and tells what is wrong with its input as this API does. */
export async function asProblem<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof InvalidInput) {
      const message = error.faults.map((fault) => `${fault.field} ${fault.message}`);
      throw new Problem("validation", { message });
    }
    if (error instanceof NotFound) {
      const isGone = OF_TENANT.includes(error.field);
      throw new Problem(isGone ? "unauthorized" : "notFound", { cause: error });
    }
    if (error instanceof TooLate) throw new Problem("conflict", { message: error.message });
    throw error;
  }
}
