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
    'The repository is locked by another program: try again when it has ended (Fatal)',
    'The repository of this site has another password (Fatal)',
  ])
  expect(failed(3, 'Fatal')).toBeInstanceOf(Incomplete)
})

test('never shows a secret, plain or as in an address', () => {
  expect(failed(1, 'Head https://a:s3cr%2Ft@b: s3cr/t').message).toBe(
    'restic: Head https://a:***@b: ***',
  )
})
