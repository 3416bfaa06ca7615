/** Why a template reaches nobody, as administration says it, for people. */
export function leftOutSentence(reason: string): string {
  return `This is currently not sent: ${reason}.`;
}
