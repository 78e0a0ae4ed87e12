import { AT } from '#dashboard/http/samples.ts'

const DatabaseTable = {
  ...{ name: 'wp_posts', engine: 'InnoDB', rows: 1204 },
  ...{ data_bytes: 2_621_440, index_bytes: 180_224, free_bytes: 4_194_304 },
}
const AutoloadedOption = { name: 'rewrite_rules', bytes: 48_120 }
const AutoloadedOptions = {
  ...{ table: 'wp_options', count: 312, bytes: 402_113, largest: [AutoloadedOption] },
  ...{ expired: 41, expired_bytes: 90_210 },
}
const StatementDigest = {
  text: 'SELECT * FROM `wp_postmeta` WHERE `meta_value` = ?',
  ...{ count: 214, total_ms: 48_120, longest_ms: 912, rows_examined: 9_120_000 },
  ...{ rows_sent: 214, without_index: 214, last_at: AT },
}

export const SITE_DATABASE_EXAMPLES = {
  DatabaseTable,
  AutoloadedOption,
  AutoloadedOptions,
  StatementDigest,
  SiteDatabase: {
    ...{ tables: [DatabaseTable], table_count: 1 },
    ...{ data_bytes: 2_621_440, index_bytes: 180_224, free_bytes: 4_194_304 },
    ...{ options: [AutoloadedOptions], queries: [StatementDigest] },
  },
}
