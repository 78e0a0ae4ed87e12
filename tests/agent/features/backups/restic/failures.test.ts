import { expect, test } from 'bun:test'
import {
  failureOf,
  IncompleteSnapshot,
  isDamaged,
  isPartialList,
  isTransient,
  isUnknownSnapshot,
} from '#agent/features/backups/restic/failures.ts'
import { Secret } from '#shared/kernel/secret.ts'

const failed = (code: number, stderr: string) =>
  failureOf({ code, stdout: '', stderr }, [new Secret('s3cr/t'), new Secret('')])

test('has the last messages of restic in one line', () => {
  const exit = '{"message_type":"exit_error","code":1,"message":"Fatal: unable to\\n open"}'

  expect(failed(1, `retrying\nsubprocess ssh: denied\n${exit}\n`).message).toBe(
    'restic: retrying | subprocess ssh: denied | Fatal: unable to open',
  )
  expect(failed(1, '').message).toBe('restic: exit status 1')
})

test('says what a status of restic means', () => {
  expect([10, 11, 12].map((code) => failed(code, 'Fatal').message)).toEqual([
    'The target has no repository of this site: check that its storage is mounted and complete (Fatal)',
    'The repository is locked by another program: try again when it has ended; the keeper removes the lock of a killed program (Fatal)',
    'The repository of this site has another password: find its backups with the recovery kit, or choose another target (Fatal)',
  ])
  expect(failed(3, 'Fatal')).toBeInstanceOf(IncompleteSnapshot)
})

const away = (code: number, stderr: string, late = false) => {
  const failure = failureOf({ code, stdout: '', stderr, late }, [])
  return [Object(failure).refusal, failure.message]
}
const CHECK = 'The target did not answer: check the network between it and this server'

test.each([
  'Fatal: Get "https://b/": dial tcp 203.0.113.7:443: i/o timeout',
  'Fatal: dial tcp 203.0.113.7:443: connect: connection refused',
  'Fatal: dial tcp: lookup b on 127.0.0.53:53: no such host',
  'Load(<data/1>): read tcp 10.0.0.1:5->10.0.0.2:443: read: connection reset by peer',
  'request timeout | Fatal: failed to refresh lock in time',
  'subprocess ssh: Timeout, server b not responding. | Fatal: ssh command exited',
])('has a code for a target that does not answer: %s', (words) => {
  expect(away(1, words)).toEqual(['target_unreachable', `${CHECK} (${words})`])
})

test('has no code for a full disk of the server, which restic takes for a failed request', () => {
  const words = 'Load(<snapshot/1>) failed: write /cache/tmp-1: no space left on device'
  expect(away(128, words, true)).toEqual([undefined, `restic: ${words}`])
})

test('has the same code for a restic that was ended because it took too long', () => {
  expect(away(128, '', true)).toEqual(['target_unreachable', `${CHECK} (exit status 128)`])
  const waits = 'repo already locked, waiting up to 10m0s for the lock'
  expect(away(128, waits, true)).toEqual([
    undefined,
    `The repository is locked by another program: try again when it has ended; the keeper removes the lock of a killed program (${waits})`,
  ])
})

test('has no code for an answer of the target', () => {
  expect(away(1, 'Access Denied.')).toEqual([undefined, 'restic: Access Denied.'])
})

test.each([
  ['unexpected HTTP response (507): 507 Insufficient Storage', false],
  ['Save(<data/b9a8>) failed: sftp: no space left on device', false],
  ['Save(<data/1>) returned error, retrying after 5s: QuotaExceeded', true],
])('says what to do about a full storage: %s', (words, late) => {
  expect(away(1, words, late)).toEqual([
    undefined,
    `The storage has no space left: free some there, or raise its quota (${words})`,
  ])
})

const damaged = (words: string) => {
  const failure = failed(1, words)
  return [isDamaged(failure), failure.message.endsWith(` (${words})`), failure.message.slice(0, 96)]
}
const REPAIR =
  'The repository is damaged: check the disk of the storage, then repair the repository as the docu'

test.each([
  'LoadRaw(<index/53be837340>): invalid data returned',
  'Fatal: config or key 252e is damaged: ciphertext verification failed',
  'path tmp: id 0d78b4 not found in repository',
  'ReadFull(<data/98df7b754c>): open /mnt/store/data/98/98df: no such file or directory',
  'Load(<data/98df7b754c>, 0, 0) failed: unexpected HTTP response (404): 404 Not Found',
  'ReadFull(<data/98df7b754c>): The specified key does not exist.',
])('says what to do about a damaged repository: %s', (words) => {
  expect(damaged(words)).toEqual([true, true, REPAIR])
})

test('takes a folder that restic cannot compare with for a damaged repository', () => {
  const words = '/: tree 4c is not known; the repository could be damaged, run `repair index`'
  expect(isDamaged(failed(3, words))).toBe(true)
})

test.each(['Fatal: no matching ID found', 'open /site/a: no such file or directory'])(
  'does not blame the repository for %s',
  (words) => {
    const failure = failed(1, words)
    expect([failure.message, isDamaged(failure)]).toEqual([`restic: ${words}`, false])
  },
)

test('names the damage before what it led to', () => {
  const damage = 'ciphertext verification failed'
  const lines = [damage, 'lchown /a: x', 'lchown /b: x', 'lchown /c: x', 'There were 4 errors']
  expect(failed(1, lines.join('\n')).message).toEndWith(
    ' (ciphertext verification failed | lchown /b: x | lchown /c: x | There were 4 errors)',
  )
})

test('leaves out the calls within restic', () => {
  const message =
    'invalid data returned\ngithub.com/restic/restic/internal/data.x\n\tsnapshot.go:57'
  expect(failed(1, JSON.stringify({ message_type: 'exit_error', message })).message).toMatch(
    /\(invalid data returned\)$/,
  )
})

test('says that restic was killed', () => {
  expect(failed(255, '').message).toBe(
    'restic was killed: check that this server has enough free memory, and try again (exit status 255)',
  )
})

test('never shows a secret, plain or as in an address', () => {
  expect(failed(1, 'Head https://a:s3cr%2Ft@b: s3cr/t').message).toBe(
    'restic: Head https://a:***@b: ***',
  )
})

test.each([
  ['Fatal: could not find snapshot: no matching ID found for prefix "f"', true],
  [
    'failed to load snapshot ffffffff: Load(<snapshot/ffffffffff>, 0, 0) failed: no such file',
    true,
  ],
  [
    'failed to load snapshot c8ee0060: LoadRaw(<snapshot/c8ee0060ff>): invalid data returned',
    false,
  ],
  ['Load(<data/98df7b754c>, 0, 0) failed: open /data/98: no such file or directory', false],
])('tells a snapshot that is gone from other damage: %s', (words, expected) => {
  expect(isUnknownSnapshot(words)).toBe(expected)
})

test('knows a list that leaves out what cannot be read', () => {
  const words = 'Ignoring "c8ee": failed to load snapshot c8ee0060: invalid data returned'
  expect([words, 'could not load snapshots: EOF', ''].map(isPartialList)).toEqual([
    true,
    true,
    false,
  ])
})

const told = (stderr: string, { code = 1, late = false } = {}) => {
  const failure = failureOf({ code, stdout: '', stderr, late }, [])
  return [failure.message, isTransient(failure), isDamaged(failure)]
}

const CORRECT =
  'The clock of this server and the storage do not agree on the time: correct the clock of this server (timedatectl shows it)'
const X509 =
  'tls: failed to verify certificate: x509: certificate has expired or is not yet valid: current time'
const BEHIND = `Stat: Get "https://192.0.2.7/backups/?location=": ${X509} 2026-11-24T20:28:32Z is before 2030-01-01T00:00:00Z`

test.each([
  `Fatal: unable to open config file: ${BEHIND}`,
  'Load(<index/53be837340>, 0, 0) failed: The difference between the request time and the current time is too large.',
  "Fatal: Fatal: create repository at s3:https://b/backups/x failed: client.BucketExists: The difference between the request time and the server's time is too large.",
  'Save(<data/98df7b754c>) failed: client.PutObject: Error response code RequestTimeTooSkewed.',
])('says to correct the clock of the server, and does not blame the backup: %s', (words) => {
  expect(told(words)).toEqual([`${CORRECT} (${words})`, true, false])
})

test('says the same of a restic that was ended while it tried again', () => {
  const line = `Stat(<config/>) returned error, retrying after 522.048661ms: ${BEHIND}`
  const last = [
    ...['signal terminated received, cleaning up', 'Fatal: unable to open config file: context'],
    's3:https://192.0.2.7/backups/x',
  ]

  expect(told(line, { code: 137, late: true })).toEqual([`${CORRECT} (${line})`, true, false])
  expect(told([line, line, ...last].join('\n'), { code: 130, late: true })).toEqual([
    ...[`${CORRECT} (${[line, ...last].join(' | ')})`, true, false],
  ])
})

test('names the certificate, too, where it may have expired', () => {
  const words = `Fatal: unable to open config file: Head "https://192.0.2.7/x/config": ${X509} 2026-11-24T20:27:03Z is after 2021-01-01T00:00:00Z`
  expect(told(words)).toEqual([
    `The certificate of the storage has expired, or the clock of this server is ahead: renew the certificate, or correct the clock of this server (timedatectl shows it) (${words})`,
    ...[true, false],
  ])
})

test('names the clock, too, where the storage refuses a server without a reason', () => {
  const words = 'Fatal: unable to open config file: Stat: Access Denied.'
  expect(told(words)).toEqual([
    `The storage refused this server: check its credentials and permissions, and the clock of this server (timedatectl shows it) (${words})`,
    ...[false, false],
  ])
})

test('does not take the name of a file for the time of a server', () => {
  const words = 'open /site/RequestTimeTooSkewed: permission denied'
  expect(told(words, { code: 3 })).toEqual([words, false, false])
})
