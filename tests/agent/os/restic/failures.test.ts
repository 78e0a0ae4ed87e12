import { expect, test } from 'bun:test'
import { failureOf, Incomplete } from '#agent/os/restic/failures.ts'
import { Secret } from '#shared/secret.ts'

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
    'The target has no repository of this site (Fatal)',
    'The repository is locked by another program: try again when it has ended; the keeper removes the lock of a killed program (Fatal)',
    'The repository of this site has another password (Fatal)',
  ])
  expect(failed(3, 'Fatal')).toBeInstanceOf(Incomplete)
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

test.each(['unexpected HTTP response (507): 507 Insufficient Storage', 'Access Denied.'])(
  'has no code for an answer of the target: %s',
  (words) => {
    expect(away(1, words)).toEqual([undefined, `restic: ${words}`])
  },
)

test('never shows a secret, plain or as in an address', () => {
  expect(failed(1, 'Head https://a:s3cr%2Ft@b: s3cr/t').message).toBe(
    'restic: Head https://a:***@b: ***',
  )
})
