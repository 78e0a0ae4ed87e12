import { expect, test } from 'bun:test'
import { CreateBackupTarget } from '#shared/backups/api/backups.ts'
import { BackupPlace, BackupTarget } from '#shared/backups/backup.ts'
import { authorityPem } from '#tests/support/fixtures/certificates.ts'
import { brokenLines, speakingLines, sshKey } from '#tests/support/hostile-values.ts'

const accepts = (place: object) => BackupPlace.safeParse(place).success
const local = (path: string) => accepts({ kind: 'local', path })
const rest = (url: string) => accepts({ kind: 'rest', url, user: 'agency' })

test('a folder is absolute, and not one of the system or of sites', () => {
  expect(['/mnt/backup', '/srv/backup', '/backup', '/home/backup'].map(local)).toEqual(
    Array(4).fill(true),
  )
  const refused = [
    '',
    '/',
    'mnt',
    '/mnt/../etc',
    '/etc',
    '/etc/x',
    '/srv',
    '/srv/www',
    '/var/lib/x',
  ]
  expect(refused.filter(local)).toEqual([])
  expect(['/mnt/a b', '/mnt/a:b', '/mnt/a\nb', '/usr', '/root/x', '/home'].filter(local)).toEqual(
    [],
  )
})

test('an address is https, without user, password and query', () => {
  expect(rest('https://backup.example:8000/hosting/')).toBe(true)
  const refused = ['http://backup.example/', 'https://a:b@backup.example/', 'https://b.example/?a']
  expect(['ftp://b.example/', '-o', 'https://', ...refused].filter(rest)).toEqual([])
})

test('a host key is one line without a name', () => {
  const sftp = (host_key: string) =>
    accepts({ kind: 'sftp', host: 'b.example', user: 'b', path: '/data', host_key })

  expect(sftp('ssh-ed25519 AAAAC3Nz')).toBe(true)
  expect(['b.example ssh-ed25519 AAAA', 'ssh-ed25519 AAAA\nother', 'AAAA'].filter(sftp)).toEqual([])
})

const PLACES = {
  rest: { kind: 'rest', url: 'https://backup.example:8000/', user: 'agency' },
  s3: { kind: 's3', url: 'https://s3.example', bucket: 'backups', prefix: 'sites', user: 'KEY' },
  sftp: {
    ...{ kind: 'sftp', host: 'backup.example', user: 'hosting', path: '/data' },
    host_key: 'ssh-ed25519 AAAA',
  },
  local: { kind: 'local', path: '/mnt/store' },
} as const
type Kind = keyof typeof PLACES
const KINDS = Object.keys(PLACES) as Kind[]

/** What the agent gets and what a user sends, each as the fields that are refused. */
const refusedOf = (kind: Kind, secret: string) => {
  const place = PLACES[kind]
  const results = [
    BackupTarget.safeParse({ place, secret }),
    CreateBackupTarget.safeParse({ name: 'x', place, secret }),
  ]
  return results.map(({ error }) => error?.issues.map(({ path }) => path.join('.')))
}
const REFUSED = [['secret'], ['secret']]
const ACCEPTED = [undefined, undefined]

test.each(KINDS)('a secret of %s has no line break, control character or other script', (kind) => {
  for (const secret of brokenLines)
    expect([secret, refusedOf(kind, secret)]).toEqual([secret, REFUSED])
})

test.each(['rest', 's3'] as const)('a secret of %s may have any printable sign', (kind) => {
  for (const secret of speakingLines)
    expect([secret, refusedOf(kind, secret)]).toEqual([secret, ACCEPTED])
  expect(refusedOf(kind, 'x'.repeat(257))).toEqual(REFUSED)
})

test('an S3 secret does not refer to another value', () => {
  expect(refusedOf('s3', '%(aws_access_key_id)s')).toEqual(REFUSED)
})

test('only SFTP has lines, and they are one private key', () => {
  const key = sshKey()
  const crlf = key.replaceAll('\n', '\r\n')
  expect(refusedOf('sftp', key)).toEqual(ACCEPTED)
  expect(BackupTarget.parse({ place: PLACES.sftp, secret: crlf }).secret.reveal()).toBe(key)
  for (const kind of ['rest', 's3', 'local'] as const) expect(refusedOf(kind, key)).toEqual(REFUSED)
  const others = [
    ...[
      'text',
      `${key}${key}`,
      `${key}next=value`,
      key.replace('\n', '\nProc-Type: 4,ENCRYPTED\n'),
    ],
    ...[key.replace('END PRIVATE', 'END RSA PRIVATE'), authorityPem, `# mine\n${key}`],
    ...['\0', '\u2028', ';', '"', ' '].map((sign) => key.replace('\n', `\n${sign}`)),
  ]
  for (const secret of others)
    expect([secret, refusedOf('sftp', secret)]).toEqual([secret, REFUSED])
})

test('a folder has no secret', () => {
  expect(refusedOf('local', 'secret')).toEqual(REFUSED)
  expect(refusedOf('local', '')).toEqual(ACCEPTED)
})

test('certificates of an authority are PEM and nothing else', () => {
  const ca = (text: string) => accepts({ ...PLACES.rest, ca: text })

  expect([authorityPem, authorityPem.trim(), `${authorityPem}${authorityPem}`, ''].map(ca)).toEqual(
    Array(4).fill(true),
  )
  const pem = authorityPem.replaceAll('\n', '\r\n')
  expect(BackupPlace.parse({ ...PLACES.rest, ca: pem })).toMatchObject({ ca: authorityPem })
  const refused = [
    ...['PEM', `subject=x\n${authorityPem}`, `${authorityPem}# end\n`, sshKey()],
    ...['\0', '\u2028', '\u0085', '#', '"'].map((sign) => authorityPem.replace('\n', `\n${sign}`)),
  ]
  expect(refused.filter(ca)).toEqual([])
})

test('users, access keys, regions, prefixes and addresses carry no sign of a file or an address', () => {
  const lines = brokenLines.filter((line) => line.trim() === line)
  const user = (text: string) => accepts({ ...PLACES.rest, user: text })
  const key = (text: string) => accepts({ ...PLACES.s3, user: text })
  const region = (text: string) => accepts({ ...PLACES.s3, region: text })
  const prefix = (text: string) => accepts({ ...PLACES.s3, prefix: text })
  const url = (text: string) => rest(`https://backup.example/${text}`)

  expect([...lines, 'a:b', 'a b'].filter(user)).toEqual([])
  expect([...lines, 'a#b', 'a;b', 'a"b', 'a b', 'a,b', '%(x)s'].filter(key)).toEqual([])
  expect([...lines, 'a#b', 'a b', '-o', '$x'].filter(region)).toEqual([])
  expect([...lines, '..', 'a/../b', '/a', 'a b'].filter(prefix)).toEqual([])
  expect([...lines, 'a b', 'a"b', 'a\\b', '`', '<', '{'].filter(url)).toEqual([])
  expect([user('a#b'), key('AKIA/+='), region('eu-central-1'), prefix('a.b/c')]).toEqual(
    Array(4).fill(true),
  )
})

const KEY = '-----BEGIN OPENSSH PRIVATE KEY-----\nAAAA\n-----END OPENSSH PRIVATE KEY-----\n'

test.each([
  [{ kind: 'local', path: '/mnt/store' }, ''],
  [{ kind: 'rest', url: 'https://backup.example/', user: 'shop' }, 'secret'],
  [
    {
      kind: 'sftp',
      host: 'backup.example',
      user: 'shop',
      path: '/store',
      host_key: 'ssh-rsa AAAA',
    },
    KEY,
  ],
])('a recorded request with a target %j is read again, without its secret', (place, secret) => {
  const { success, data, error } = BackupTarget.safeParse({ place, secret })
  expect([success, error]).toEqual([true, undefined])

  const again = BackupTarget.safeParse(JSON.parse(JSON.stringify(data)))

  expect([again.success, again.data?.secret.reveal()]).toEqual([true, '***'])
})
