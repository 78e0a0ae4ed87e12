import { expect, test } from 'bun:test'
import { generateKeyPairSync } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { sealFiles } from '#dashboard/features/backups/recovery-file.ts'
import { writeArchive } from '#dashboard/features/recovery/backup/archive.ts'
import { recoveryIn } from '#scripts/install/options.ts'
import { mergeEnvironment, readRecovered } from '#scripts/install/recovery.ts'
import { publicKeyIn } from '#scripts/lib/release.ts'
import { kit } from '#tests/support/dashboard/backups.ts'
import { makeFolder } from '#tests/support/dashboard/records.ts'

const RELEASE_KEY = String(
  generateKeyPairSync('ed25519').privateKey.export({ format: 'pem', type: 'pkcs8' }),
)
const ENVIRONMENT = '# Settings\nTRASH_DAYS=30\nPUBLIC_URL=https://control.example.com\n'

/** What is recovered from a backup with these files. */
async function recovered(files: Record<string, string> | undefined, key = kit.privateKey) {
  await using folder = await makeFolder()
  const [backup, file] = [`${folder.path}/dashboard.tar`, `${folder.path}/kit.txt`]
  const text = files && sealFiles(files, kit.publicKey, new Date())
  const members = text === undefined ? [] : [{ name: 'recovery.json', text }]
  await writeArchive(backup, [{ name: 'manifest.json', text: '{}' }, ...members])
  await writeFile(file, `Hosting Control: recovery kit\n\n${key}`)
  return await readRecovered({ backup, kit: file }).catch((error: Error) =>
    error.message.replaceAll(folder.path, ''),
  )
}

test('the kit gives back the release key, the settings and the options', async () => {
  expect(
    await recovered({
      'release-key': RELEASE_KEY,
      'release-key.pub': 'replaced\n',
      'dashboard.env': ENVIRONMENT,
      'install.json': '{"domain":"control.example.com"}',
      ...{ 'tls.pem': 'certificate', 'tls.key': 'its key' },
    }),
  ).toEqual({
    kit: kit.publicKey,
    release_key: RELEASE_KEY,
    public_key: `${publicKeyIn(RELEASE_KEY)}\n`,
    environment: ENVIRONMENT,
    options: { domain: 'control.example.com' },
    certificate: { certificate: 'certificate', key: 'its key' },
  })
})

test('the public key alone comes back where the private one was elsewhere', async () => {
  const public_key = `${publicKeyIn(RELEASE_KEY)}\n`

  expect(await recovered({ 'release-key.pub': public_key })).toMatchObject({
    ...{ release_key: undefined, public_key, environment: '', options: {} },
  })
  expect(await recovered({ 'release-key.pub': '../x' })).toMatchObject({ public_key: undefined })
})

test('a backup without them is refused with what to do, and so is a key that is none', async () => {
  expect(await recovered(undefined)).toBe(
    '--recover /dashboard.tar has no release key and no settings: install without --recover, and restore the records with hosting-control restore',
  )
  expect(await recovered({ 'release-key': kit.privateKey })).toBe(
    '--recover /dashboard.tar: The release key is no Ed25519 key',
  )
  expect(await recovered({}, 'no key')).toBe('--kit /kit.txt has no private key of a recovery kit')
})

test('settings come back as they were where there are none', () => {
  expect(mergeEnvironment('', ENVIRONMENT)).toEqual({
    text: ENVIRONMENT,
    restored: ['TRASH_DAYS', 'PUBLIC_URL'],
    kept: [],
    left: [],
  })
})

test('settings of this server stay, and what is of the lost machine or ends sessions is left out', () => {
  const lost = `${ENVIRONMENT}BUILDS_DIR=/srv/builds\nJWT_SECRET=secret\nSMTP_URL=smtp://one\n`

  expect(mergeEnvironment('# Mine\nSMTP_URL=smtp://two\nHOST=::1\n', lost)).toEqual({
    text: '# Mine\nSMTP_URL=smtp://two\nHOST=::1\nTRASH_DAYS=30\nPUBLIC_URL=https://control.example.com\n',
    restored: ['TRASH_DAYS', 'PUBLIC_URL'],
    kept: ['SMTP_URL'],
    left: ['BUILDS_DIR', 'JWT_SECRET'],
  })
})

test('a recovery needs the backup and the kit, as absolute paths', () => {
  const refusal = (...argv: string[]) => {
    try {
      return recoveryIn(argv)
    } catch (error) {
      return String(error)
    }
  }

  expect(refusal()).toBeUndefined()
  expect(refusal('--recover', '/a.tar', '--kit', '/kit.txt')).toEqual({
    backup: '/a.tar',
    kit: '/kit.txt',
  })
  for (const argv of [
    ['--recover', '/a.tar'],
    ['--recover', '/a.tar', '--kit', 'kit.txt'],
  ])
    expect(refusal(...argv)).toBe(
      'Error: --recover and --kit belong together: --kit needs an absolute path',
    )
})
