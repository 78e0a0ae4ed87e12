import { hostileDomains, hostileText, noText } from '#tests/support/hostile.ts'
import { brokenLines, sshKey } from '#tests/support/hostile-values.ts'
import { openedBy } from '#tests/support/repository-password.ts'
import { ANNA, RSA_1024 } from '#tests/support/ssh-keys.ts'
import { kit } from './backup.ts'
import { hostileSettings, validSettings } from './settings-params.ts'

const words = [...hostileText, ...noText, '']

/** Values that each param of the commands for the database of a site refuses. */
const hostileDatabase = {
  action: [...words, 'drop', 'CHECK', 'check; DROP TABLE a'],
  rights: [...words, 'all', 'Read', 'read, GRANT OPTION'],
  minutes: [0, -1, 61, 1.5, '60', null, true, [], {}],
  token: [...words, 'a'.repeat(9), 'a'.repeat(11), 'A'.repeat(10), 'a_b_c_d_e_', "a'@'%'----"],
  upload: [...words, 'a'.repeat(15), 'a'.repeat(17), '../../../../etc/a', 'A'.repeat(16)],
  part_count: [0, -1, 9001, 1.5, '1', null, [], {}],
  packed: [null, 'true', 0, 1, {}, []],
  replace: [null, 'true', 0, 1, {}, []],
  account_hash: [
    ...words,
    ...['A'.repeat(40), `*${'a'.repeat(40)}`, `*${'A'.repeat(41)}`, `*${'A'.repeat(40)}'`],
  ],
}

const validDatabase = {
  ...{ action: 'check', rights: 'read', minutes: 60, token: 'a1b2c3d4e5' },
  ...{ upload: 'a'.repeat(16), part_count: 1, packed: true, replace: false },
  account_hash: `*${'A'.repeat(40)}`,
}

const job = { name: 'nightly', schedule: '0 3 * * *', command: 'true' }
const names = [...hostileText, ...noText, '', '-a', 'a-', 'A', 'a_b', 'x'.repeat(33)]
const schedules = [
  ...['', '* * * *', '* * * * * *', '60 * * * *', '* 24 * * *', '* * 0 * *', '* * 31 2 *'],
  ...[
    '* * * 13 *',
    '* * * * 8',
    '*/0 * * * *',
    '5-1 * * * *',
    '5/2 * * * *',
    '@reboot',
    '1;2 * * * *',
  ],
  ...['* * * * *\nOnBootSec=1', '%h * * * *', null, 7],
]
const commands = ['', ' ', 'a\nb', 'a\0', 'a\u2028b', 'x'.repeat(1001), null, 7, ['true']]

const jobs = [
  ...names.map((name) => ({ ...job, name })),
  ...schedules.map((schedule) => ({ ...job, schedule })),
  ...commands.map((command) => ({ ...job, command })),
  ...[0, 1441, 1.5, '60', null].map((max_minutes) => ({ ...job, max_minutes })),
  ...['true', 1, null].map((enabled) => ({ ...job, enabled })),
]

/** Values that each param of the cron jobs of a site refuses. */
const hostileJobs = {
  name: names,
  add: [null, 7, true, 'x', [], {}, ...jobs],
  remove: names,
  with_jobs: [...hostileText, null, 7, {}, [], 'true', 0, 1],
  jobs: [
    ...[null, 7, true, 'x', {}, [7], [{}], [job, job]],
    ...jobs.map((one) => [one]),
    Array.from({ length: 21 }, (_, at) => ({ ...job, name: `job-${at}` })),
  ],
}

const validJobs = { name: 'nightly', jobs: [job] }

const grant = { id: 1, person: 'Anna', kind: 'sftp', expires_at: null, keys: [ANNA] }
const noGrants = [
  { id: 0 },
  { id: '1' },
  ...['', 'a\nb', 'a\0', 'x'.repeat(65), 7].map((person) => ({ person })),
  ...['root', 'Shell', '', null].map((kind) => ({ kind })),
  ...['tomorrow', '2027-01-31', 7, '2027-01-31T18:00:00+01:00'].map((expires_at) => ({
    expires_at,
  })),
  ...[`command="id" ${ANNA}`, `${ANNA} x`, `${ANNA}\n${ANNA}`, '', RSA_1024, 7].map((key) => ({
    keys: [key],
  })),
  { keys: [ANNA, ANNA] },
  { keys: ANNA },
].map((part) => [{ ...grant, ...part }])

const client = {
  ...{ token: 'abcd2345', label: 'Print shop', expires_at: null },
  password_hash: `$2b$10$${'a'.repeat(53)}`,
}
const noClients = [
  ...['', 'abcd234', 'abcd2345x', 'ABCD2345', 'abcd234\n', '../../x2', 7, null].map((token) => ({
    token,
  })),
  ...['', 'a\nb', 'x'.repeat(65), 7].map((label) => ({ label })),
  ...['tomorrow', 7, '2027-01-31T18:00:00+01:00'].map((expires_at) => ({ expires_at })),
  ...[
    ...['', '*', 'secret', `$2b$10$${'a'.repeat(52)}`, `$2b$10$${'a'.repeat(53)}\nroot:x`, 7],
    ...[`$2b$10$${'a'.repeat(52)}:`, `$2b$04$${'a'.repeat(53)}`, `$6$salt$${'a'.repeat(86)}`],
  ].map((password_hash) => ({ password_hash })),
].map((part) => [{ ...client, ...part }])

/** Values that each param of `site.access` refuses. */
const hostileAccess = {
  grants: [null, 7, {}, 'x', [7], [{}], [grant, grant], [grant, { ...grant, id: 2 }], ...noGrants],
  clients: [null, 7, {}, 'x', [7], [{}], [client, client], ...noClients],
  install: [null, 'true', 0, 1, {}, []],
}

const validAccess = { grants: [grant], clients: [client], install: false }

const FILES = { files: true, database: false }
const noObject = [null, 7, true, []]

const S3 = { kind: 's3', url: 'https://s3.example', bucket: 'backups', prefix: 'x', user: 'KEY' }
const PLACES = [
  S3,
  { kind: 'rest', url: 'https://backup.example/', user: 'agency' },
  { kind: 'sftp', host: 'b.example', user: 'b', path: '/b', host_key: 'ssh-ed25519 AAAA' },
  { kind: 'local', path: '/mnt/store' },
]

/** What a hostile dashboard sends: the secret of one kind for another, and values with lines. */
function hostileTargets() {
  const fields = ['user', 'region', 'ca', 'url', 'bucket', 'prefix']
  return [
    ...brokenLines.flatMap((secret) => PLACES.map((place) => ({ place, secret }))),
    ...fields.map((field) => ({ place: { ...S3, [field]: 'a\nb=c' }, secret: 'secret' })),
    { place: S3, secret: sshKey() },
    { place: S3, secret: '%(aws_access_key_id)s' },
    { place: { kind: 'local', path: '/mnt/store' }, secret: 'secret' },
  ]
}

const noTables = [null, 7, {}, [''], [7], ['x'.repeat(65)], ['a\0'], ['a', 'a']]

/** Values that each param of the commands of backups refuses. */
export const hostileBackups = {
  ...hostileSettings,
  ...hostileJobs,
  ...hostileAccess,
  ...hostileDatabase,
  names: [
    ...hostileText,
    ...[null, 7, true, []],
    ...hostileDomains
      .filter((name) => name !== '*.example.com')
      .map((name) => ({ aliases: [name] })),
    ...hostileDomains.map((domain) => ({ redirects: [{ domain }] })),
    ...[{ www: 'maybe' }, { aliases: 'a.example' }, { aliases: ['nobody.example'] }],
    { redirects: [{ domain: 'a.example', to: 'https://a.example/' }] },
  ],
  memory: [true, [], {}, 'x', '', '64', 15, 513, 64.5, -1],
  target: [...noObject, 'x', ...hostileTargets()],
  dashboard_key: [...hostileText, ...noText, `${kit.publicKey}${kit.publicKey}`],
  recovery_key: [...hostileText, ...noText, kit.privateKey],
  keeper_key: [...hostileText, null, kit.privateKey],
  password: [...noText, ' a password', 'x'.repeat(1025)],
  password_id: [...hostileText, ...noText, '', 'a'.repeat(63), 'A'.repeat(64)],
  repository: [...hostileText, ...noText, '../shop', '-o', 'Shop', 'hosting-dashboard'],
  backup: [...hostileText, ...noText, 'latest', 'a'.repeat(63), 'A'.repeat(64)],
  from: [...noObject, 'x'],
  gathered: [...noObject, 'x'],
  known: [...noObject.slice(0, 3), {}, 'x'],
  files: [null, 'true', 0, 1, {}, []],
  tables: [...noTables, 'wp_posts'],
  overwrite: [...noTables, 'wp_posts'],
  state: [...hostileText, ...noText, 'Frozen', 'gone'],
  peers: [...noObject.slice(0, 3), [7], [''], ['web-2.example'], ['10.0.0.1;'], ['10.0.0.1/8']],
  challenges: [null, 'true', 0, 1, {}, []],
  copy: [null, 'true', 0, 1, {}, []],
  certificate: [null, 7, {}, [], 'x'.repeat(65_537)],
  staging: [...noObject, 'x'],
  primary: [...hostileText, ...noText, '', 'nobody', '*.example', 'a.example;', '-a.example'],
  former: [...hostileText, ...noText, 'gone', 'Redirect'],
  www: [...hostileText, ...noText, 'bare'],
  aliases: [
    null,
    7,
    {},
    'a.example',
    [7],
    ['nobody.example'],
    ['a.example', 'a.example'],
    ['a b'],
    ['*'],
    ['x.*.example'],
  ],
  redirects: [
    ...[null, 7, {}, 'a.example', ['a.example'], [{}], [{ domain: 'www.nobody.example' }]],
    ...['/x', 'https://a.example/$uri', 'https://a.example/;', 'https://A.example'].map((to) => [
      { domain: 'b.example', to },
    ]),
    [{ domain: 'b.example', to: 'https://b.example' }],
    [{ domain: 'b.example', status: 200 }],
    [{ domain: 'b.example', keep_path: 'yes' }],
  ],
  parts: [
    ...[...noObject, 'files', { files: false, database: false }],
    ...['/etc', '../x', 'a/./b', '', 'a\nb', 'a\0', 7].map((path) => ({ ...FILES, paths: [path] })),
    ...[
      { ...FILES, paths: [] },
      { ...FILES, paths: 'a' },
      { ...FILES, tables: ['a'] },
    ],
    ...['', 'x'.repeat(65), 'a\0'].map((name) => ({ ...FILES, database: true, tables: [name] })),
  ],
  password_hash: [...hostileText, ...noText, '', '{SSHA}a\n', '$1$a$b', `{SSHA}${'a'.repeat(89)}`],
  token_hash: [...hostileText, ...noText, '', 'a'.repeat(63), 'A'.repeat(64), 'g'.repeat(64)],
  until: [
    ...hostileText,
    ...noText.filter((value) => value !== null),
    '2026-13-01T00:00:00Z',
    '2026-03-01',
  ],
  user_id: [0, -1, 1.5, '1', true, {}, []],
  exclude: [
    ...[null, 7, true, 'uploads'],
    ...[
      '',
      '/etc',
      '../shop',
      'a/../b',
      'a//b',
      'a/',
      '.',
      '*',
      '**/*',
      'a\nb',
      'a[b]',
      'a?',
      'a\\',
    ].map((path) => [path]),
    [7],
    ['a', 'a'],
    ['x'.repeat(256)],
    Array.from({ length: 51 }, (_, at) => `${at}`),
  ],
}

const fromBackup = {
  ...{ kind: 'backup', repository: 'shop', backup: 'a'.repeat(64), ...openedBy('a password') },
  target: { place: { kind: 'local', path: '/mnt/store' }, secret: '' },
}

const { kind: _, backup: __, ...fromRepository } = fromBackup
const gathered = {
  at: '2026-01-01T00:00:00.000Z',
  files: { snapshot: 'a'.repeat(64), count: 3, bytes: 2000 },
  database: { snapshot: 'b'.repeat(64), bytes: 300, sha256: 'c'.repeat(64) },
}

/** Params of commands that others have with another meaning. */
export const ownParams: Record<string, Record<string, unknown>> = {
  'database.user-end': { user: 'hosting_tmp_a1b2c3d4e5_1767229200' },
  'site.compare': { from: 'staging.nobody.example' },
  'site.push': { from: 'staging.nobody.example' },
  'site.configure': { xmlrpc: 'off' },
  'site.object-cache': { memory: 64 },
  'site.receive': { from: fromBackup },
  'site.gather': { from: fromRepository, known: [], files: 'a'.repeat(64) },
  'site.catch-up': { from: fromRepository, gathered },
}

export const validBackups = {
  ...validSettings,
  ...validJobs,
  ...validAccess,
  ...validDatabase,
  files: true,
  tables: ['wp_posts'],
  overwrite: [],
  state: 'settled',
  peers: ['10.0.0.2'],
  challenges: false,
  certificate: '',
  target: { place: { kind: 'local', path: '/mnt/store' }, secret: '' },
  dashboard_key: kit.publicKey,
  recovery_key: kit.publicKey,
  keeper_key: kit.publicKey,
  ...openedBy('a password'),
  repository: 'shop',
  backup: 'a'.repeat(64),
  token_hash: 'a'.repeat(64),
  password_hash: `{SSHA}${'a'.repeat(40)}`,
  user_id: 1,
  until: null,
  from: { kind: 'site', domain: 'nobody.example' },
  primary: 'new.example',
  former: 'redirect',
  www: 'redirect',
  aliases: ['alias.example'],
  redirects: [{ domain: 'old.example', status: 302, keep_path: false }],
  staging: {
    ...{ of: 'nobody.example', user: 'staging' },
    password_hash: `{SSHA}${'a'.repeat(40)}`,
  },
  parts: { files: true, database: true },
  exclude: ['wp-content/uploads/videos', '**/node_modules', '*.log'],
}
