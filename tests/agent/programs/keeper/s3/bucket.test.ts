import { expect, test } from 'bun:test'
import { listObjects } from '#agent/programs/keeper/s3/bucket.ts'
import { startSmallS3 } from '#tests/support/storage/small-s3.ts'

const HOUR_MS = 3_600_000
const ADVICE =
  'The clock of this server and the storage do not agree on the time: correct the clock of this server (timedatectl shows it)'

/** The failure of a list, by this clock, of a storage whose certificate is of another day. */
async function failureAt(ahead_ms: number, certificate_ms = 0) {
  const s3 = await startSmallS3({ certified_at: Date.now() + certificate_ms })
  const clock = { now: () => Date.now() + ahead_ms }
  const failure = await listObjects(clock, s3.bucket, { prefix: 'sites/' }).catch(String)
  s3.stop()
  return String(failure).replaceAll(s3.bucket.url, 'https://storage')
}

test('says to correct the clock of a machine whose requests S3 refuses by their time', async () => {
  const refusal =
    'https://storage refused GET of backups?list-type=2&prefix=sites%2F: RequestTimeTooSkewed'

  expect(await failureAt(HOUR_MS)).toBe(`Error: ${ADVICE} (${refusal})`)
  expect(await failureAt(-HOUR_MS)).toBe(`Error: ${ADVICE} (${refusal})`)
})

test('says so of a certificate of another time, which may also have expired', async () => {
  expect(await failureAt(0, 24 * HOUR_MS)).toBe(`Error: ${ADVICE} (certificate is not yet valid)`)
  expect(await failureAt(0, -24 * HOUR_MS)).toBe(
    'Error: The certificate of the storage has expired, or the clock of this server is ahead: renew the certificate, or correct the clock of this server (timedatectl shows it) (certificate has expired)',
  )
})
