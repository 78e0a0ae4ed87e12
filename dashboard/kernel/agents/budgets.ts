/** The limits for hostile agents: what is read, stored and listed. Also in .github/docs/api.md. */

/** The maximum of read entries of one answer; the rest is only counted. */
export const MAX_LIST_ENTRIES = 20_000
export const MAX_LIST_BYTES = 32 << 20
/** The maximum of sites that are imported on one day (UTC), also from the trash. */
export const MAX_IMPORTS_PER_DAY = 2_000
/** The maximum of recorded imported sites at any time. */
export const MAX_IMPORTS = 10_000

/** The maximum of stored changes of health of one server in a minute; the others wait. */
export const MAX_HEALTH_CHANGES = 2_000

/** The text of both limits. */
export const IMPORT_LIMITS_TEXT = '2,000 a day and 10,000 in all'
