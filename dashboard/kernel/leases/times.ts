/** How long a lease is, on the clock of the database. */
export const LEASE_MS = 10_000
/**
 * How long its holder counts on it, from the moment when the renewal was sent: clocks differ a
 * little.
 */
export const HELD_MS = 9_000
/** The pause between renewals. */
export const TICK_MS = 500
/** The number of rounds without a pause, while there are shares to acquire or to release. */
export const MAX_ROUNDS = 3
/** How long the database may take to answer a round. */
export const ANSWER_MS = 3_000
/** How often dashboards look for news of each other. */
export const NEWS_MS = 200
