import { expect, test } from 'bun:test'
import { failureOf, isDamaged, isOfElsewhere } from '#agent/os/restic/failures.ts'

const told = (stderr: string, { code = 1, late = false } = {}) => {
  const failure = failureOf({ code, stdout: '', stderr, late }, [])
  return [failure.message, isOfElsewhere(failure), isDamaged(failure)]
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
