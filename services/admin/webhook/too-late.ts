import { TooLate } from "@belfry/administration/input-error";
import { type Answer, page } from "../page/answer.ts";

/** What cannot be done now, because of how the endpoint or the message stands, is told in administration's words. */
export async function orTooLate(change: () => Promise<Answer>): Promise<Answer> {
  try {
    return await change();
  } catch (error) {
    if (!(error instanceof TooLate)) throw error;
    const text = `Nothing was sent: ${error.message}.`;
    return page("message", "Not possible now", { text }, 409);
  }
}
