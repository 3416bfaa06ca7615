/** Why a template reaches nobody, as administration says it, for people. */
export function leftOutSentence(reason: string): string {
  return `Nothing of this is sent as things are: ${reason}.`;
}
