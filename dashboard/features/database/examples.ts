import { AT } from '#dashboard/kernel/http/example-values.ts'

const DatabaseTable = {
  name: 'wp_posts',
  engine: 'InnoDB',
  rows: 1204,
  data_bytes: 2_621_440,
  index_bytes: 180_224,
  free_bytes: 4_194_304,
}
const AutoloadedOption = { name: 'rewrite_rules', bytes: 48_120 }
const UnusedOptions = { plugin: 'Wordfence', count: 12, bytes: 61_440 }
const AutoloadedOptions = {
  table: 'wp_options',
  count: 312,
  bytes: 402_113,
  largest: [AutoloadedOption],
  expired: 41,
  expired_bytes: 90_210,
  unused: [UnusedOptions],
}
const StatementDigest = {
  text: 'SELECT * FROM `wp_postmeta` WHERE `meta_value` = ?',
  count: 214,
  total_ms: 48_120,
  longest_ms: 912,
  rows_examined: 9_120_000,
  rows_sent: 214,
  without_index: 214,
  last_at: AT,
}

const DatabaseUser = { user: 'hosting_tmp_k2v9x0q7ab_1767229200', rights: 'read', ends_at: AT }
const UPLOAD = 'k2v9x0q7abk2v9x0'
const MAINTENANCE = { action: 'check', tables: ['wp_posts'] }
const TableResult = { name: 'wp_posts', state: 'ok', message: '' }

export const SITE_DATABASE_EXAMPLES = {
  ShownExport: { export: { bytes: 1_310_720, total: 2_621_440 } },
  DatabaseUsers: { users: [DatabaseUser] },
  DatabaseUser,
  CreateDatabaseUser: { rights: 'read', minutes: 60 },
  CreatedDatabaseUser: {
    user: DatabaseUser.user,
    password: 'r9PzkW3vQe0uYt7LbGx5MdSn1HcJaFio',
    database: 'shop',
    rights: 'read',
    host: '127.0.0.1',
    port: 3307,
    tunnel: 'ssh -N -L 3307:/run/mysqld/mysqld.sock root@web-1.example.com',
    socket: '/run/mysqld/mysqld.sock',
    ends_at: AT,
  },
  OpenTool: { rights: 'read' },
  OpenedTool: {
    url: `/database-tools/1-1-k2v9x0q7ab-1767229200-${'3f'.repeat(32)}`,
    user: DatabaseUser.user,
    rights: 'read',
    ends_at: AT,
  },
  DatabaseToolComplete: {
    status: 'ok',
    domain: 'shop.example',
    user: DatabaseUser.user,
    database: 'shop',
    ends_at: AT,
  },
  EndDatabaseUser: { user: DatabaseUser.user, dry_run: false },
  MaintainTables: { ...MAINTENANCE, dry_run: false },
  DatabaseMaintainComplete: {
    status: 'ok',
    domain: 'shop.example',
    action: 'check',
    tables: [TableResult],
  },
  DatabaseUserComplete: {
    status: 'ok',
    domain: 'shop.example',
    user: DatabaseUser.user,
    database: 'shop',
    ends_at: AT,
  },
  DatabaseUserEndComplete: { status: 'ok', domain: 'shop.example', user: DatabaseUser.user },
  UploadDump: { upload: UPLOAD, part: 0, data: 'LS0gTWFyaWFEQiBkdW1wCg==' },
  UploadedDump: { part: 0 },
  ImportDump: { upload: UPLOAD, part_count: 12, packed: true, replace: false, dry_run: false },
  DatabaseImportComplete: {
    status: 'ok',
    domain: 'shop.example',
    at: AT,
    until: AT,
    bytes: 41_200_310,
  },
  DatabaseTable,
  AutoloadedOption,
  AutoloadedOptions,
  UnusedOptions,
  StatementDigest,
  SiteDatabase: {
    tables: [DatabaseTable],
    table_count: 1,
    data_bytes: 2_621_440,
    index_bytes: 180_224,
    free_bytes: 4_194_304,
    options: [AutoloadedOptions],
    queries: [StatementDigest],
  },
}
