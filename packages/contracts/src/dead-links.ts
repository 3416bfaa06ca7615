/**
 * What stands for the links of a message where it is only looked at or tried, of the form of real ones: they lead
 * nowhere (RFC 2606), so that nobody unsubscribes a user by a preview.
 */
export const DEAD_LINKS = {
  $unsubscribe_url: "https://belfry.invalid/unsubscribe/preview",
  $preferences_url: "https://belfry.invalid/preferences/preview",
} as const;
