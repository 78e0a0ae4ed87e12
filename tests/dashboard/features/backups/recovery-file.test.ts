import { expect, test } from 'bun:test'
import { readdir, readFile, stat } from 'node:fs/promises'
import { makeKeyPair } from '#dashboard/features/backups/key-pair.ts'
import {
  findRecovery,
  headerOf,
  openFiles,
  putRecovery,
  sealFiles,
} from '#dashboard/features/backups/recovery-file.ts'
import { fingerprintOf } from '#dashboard/kernel/trust/recovery-key.ts'
import { kit } from '#tests/support/dashboard/backups.ts'
import { makeFolder } from '#tests/support/dashboard/records.ts'

const NOW = new Date('2026-03-01T09:30:12.000Z')
const FILES = { 'release-key': 'the private key\n', 'dashboard.env': 'SMTP_URL=smtp://ü\n' }
const sealed = sealFiles(FILES, kit.publicKey, NOW)

test('the kit opens what was sealed to it, and the file names it and nothing else', () => {
  const fingerprint = fingerprintOf(kit.publicKey)

  expect(openFiles(sealed, kit.privateKey)).toEqual(FILES)
  expect(openFiles(sealed, `Fingerprint: ${fingerprint}\r\n\r\n${kit.privateKey}`)).toEqual(FILES)
  expect(headerOf(sealed)).toEqual({
    saved_at: NOW.toISOString(),
    kit: fingerprint,
    holds: ['release-key', 'dashboard.env'],
  })
  expect(sealed).not.toContain('private key')
  expect(sealed).not.toContain('smtp')
})

test('another kit, a changed file and one without a kit are refused with the reason', async () => {
  const other = await makeKeyPair()
  const changed = (fields: object) => JSON.stringify({ ...JSON.parse(sealed), ...fields })
  const reason = (text: string, key = kit.privateKey) => {
    try {
      return openFiles(text, key)
    } catch (error) {
      return String(error)
    }
  }

  expect(reason(sealed, other.privateKey)).toBe(
    `Error: It was sealed to the recovery kit ${fingerprintOf(kit.publicKey)}, and this one is ${fingerprintOf(other.publicKey)}`,
  )
  const damaged = 'Error: It is damaged: the recovery kit does not open it'
  expect(reason(changed({ holds: ['release-key'] }))).toBe(damaged)
  expect(reason(changed({ saved_at: '2026-03-02T09:30:12.000Z' }))).toBe(damaged)
  expect(reason(sealFiles(FILES, undefined, NOW))).toBe(
    'Error: The release key and the settings were not saved in it',
  )
})

test.each(['', '[]', '{}', 'null', '{"format":1,"saved_at":"x","kit":null,"holds":[]}'])(
  'something else is no such file: %s',
  async (text) => {
    await using folder = await makeFolder()

    expect(headerOf(text)).toBeUndefined()
    expect(await putRecovery(folder.path, text).catch(String)).toBe(
      'Error: It is not a file of hosting-control save-release-key',
    )
    expect(await readdir(folder.path)).toEqual([])
  },
)

test('it is kept for the backups, readable by its owner alone', async () => {
  await using folder = await makeFolder()

  await putRecovery(folder.path, sealed)

  expect((await findRecovery(folder.path))?.text).toBe(sealed)
  expect((await stat(`${folder.path}/recovery.json`)).mode & 0o777).toBe(0o600)
  expect(await readFile(`${folder.path}/recovery.json`, 'utf8')).toBe(sealed)
})
