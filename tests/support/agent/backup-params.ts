import { hostileDomains, hostileText, noText } from '#tests/support/hostile.ts'
import { brokenLines, sshKey } from '#tests/support/hostile-values.ts'
import { openedBy } from '#tests/support/repository-password.ts'
import { hostileAccess, validAccess } from './access-params.ts'
import { kit } from './backup.ts'
import { hostileDatabase, validDatabase } from './database-params.ts'
import { hostileJobs, validJobs } from './job-params.ts'
import { hostileSettings, validSettings } from './settings-params.ts'

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
