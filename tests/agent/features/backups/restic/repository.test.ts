import { expect, test } from 'bun:test'
import { filesOf, optionsOf } from '#agent/features/backups/restic/repository.ts'
import { BackupPlace } from '#shared/backups/backup.ts'
import { Secret } from '#shared/kernel/secret.ts'
import { authorityPem } from '#tests/support/fixtures/certificates.ts'
import { brokenLines } from '#tests/support/hostile-values.ts'

const PLACES = {
  rest: { kind: 'rest', url: 'https://backup.example:8000/hosting/', user: 'agency' },
  s3: {
    ...{ kind: 's3', url: 'https://s3.example', bucket: 'backups', prefix: 'sites/eu' },
    ...{ region: 'eu-1', user: 'KEY', ca: authorityPem },
  },
  sftp: {
    ...{ kind: 'sftp', host: 'backup.example', port: 2222, user: 'hosting', path: '/data' },
    host_key: 'ssh-ed25519 AAAA',
  },
  local: { kind: 'local', path: '/mnt/store' },
}

const files = (kind: keyof typeof PLACES, secret: string) =>
  filesOf({
    name: 'shop',
    target: { place: BackupPlace.parse(PLACES[kind]), secret: new Secret(secret) },
    password: new Secret('repository-password'),
  })
/** A restore knows no other account. */
const ACCOUNTS = { passwd: 'root:x:0:0::/root:/usr/sbin/nologin\n', group: 'root:x:0:\n' }
const options = (kind: keyof typeof PLACES) => optionsOf(BackupPlace.parse(PLACES[kind]))

test('the password of a REST server is part of the address, percent-encoded', () => {
  expect(files('rest', 'p@ss/w:rd')).toEqual({
    ...ACCOUNTS,
    password: 'repository-password\n',
    repository: 'rest:https://agency:p%40ss%2Fw%3Ard@backup.example:8000/hosting/shop/\n',
  })
  expect(options('rest')).toEqual([])
})

test('the keys of S3 stand in a file of their own', () => {
  expect(files('s3', 'secret/key')).toEqual({
    ...ACCOUNTS,
    password: 'repository-password\n',
    repository: 's3:https://s3.example/backups/sites/eu/shop\n',
    aws: '[default]\naws_access_key_id=KEY\naws_secret_access_key=secret/key\n',
    'ca.pem': authorityPem,
  })
  expect(options('s3')).toEqual(['--cacert', '/run/backup/ca.pem', '-o', 's3.region=eu-1'])
})

test('SFTP uses one key, and trusts one host key', () => {
  const { ssh_config, ...rest } = files('sftp', 'PRIVATE KEY')

  expect(rest).toEqual({
    ...ACCOUNTS,
    password: 'repository-password\n',
    repository: 'sftp:target:/data/shop\n',
    known_hosts: 'target ssh-ed25519 AAAA\n',
    key: 'PRIVATE KEY\n',
  })
  expect(ssh_config?.split('\n').slice(0, 13)).toEqual([
    'Host target',
    '  HostName backup.example',
    '  Port 2222',
    '  User hosting',
    '  IdentityFile /run/backup/key',
    '  IdentitiesOnly yes',
    '  HostKeyAlias target',
    '  UserKnownHostsFile /run/backup/known_hosts',
    '  GlobalKnownHostsFile /dev/null',
    '  StrictHostKeyChecking yes',
    '  BatchMode yes',
    '  ConnectTimeout 20',
    '  ConnectionAttempts 5',
  ])
  expect(options('sftp')).toEqual(['-o', 'sftp.args=-F /run/backup/ssh_config'])
})

test('a folder needs nothing else', () => {
  expect(files('local', '')).toEqual({
    ...ACCOUNTS,
    password: 'repository-password\n',
    repository: '/mnt/store/shop\n',
  })
  expect(options('local')).toEqual([])
})

const INJECTED = brokenLines.filter((line) => /[\n\r\0\u0085\u2028]/.test(line))

test.each(INJECTED)('whoever checked it before, no file gets %j of an S3 target', (text) => {
  const failure = (() => {
    try {
      return files('s3', text)
    } catch (error) {
      return error
    }
  })()
  expect(failure).toMatchObject({
    status: 422,
    fields: { aws_secret_access_key: expect.any(Array) },
  })
})

test('the address of a REST server never has a second line', () => {
  for (const text of INJECTED) {
    expect(files('rest', text).repository).toMatch(/^[\x21-\x7e]+\n$/)
  }
})
