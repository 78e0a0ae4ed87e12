import { expect, test } from 'bun:test'
import { resticPath, resticSteps } from '#agent/features/backups/restic/program.ts'
import { planOf } from '#agent/kernel/operations/runner.ts'
import { performSteps } from '#agent/kernel/operations/steps.ts'
import { performed } from '#tests/support/agent/debian.ts'
import { type FakeHost, fakeHost } from '#tests/support/fake-host.ts'

const FOLDER = '/var/lib/hosting-agent/bin'
const COPY = '/var/lib/hosting-agent/cache/restic.deb'
const [FIRST, SECOND] = ['http://a.example/restic.deb', 'http://b.example/restic.deb'] as const
const EXTRACT = `tar --extract --to-stdout --file ${FOLDER}/.restic.tar ./usr/bin/restic`

const provide = (host: FakeHost) =>
  performed(async () => performSteps(await resticSteps(host), async () => undefined))

/** A server whose restic comes as a Debian package from one of two addresses. */
function packaged(): FakeHost {
  const host = fakeHost()
  host.settings.restic_urls = [FIRST, SECOND]
  for (const name of ['dpkg-deb', 'tar']) {
    host.table[name] = ({ disk }, argv, { output_file = '' }) => {
      disk.putText(output_file, `from ${argv.at(-1)}`, { mode: 0o600 })
      return { code: 0, stdout: '', stderr: '' }
    }
  }
  return host
}

const programsOf = (host: FakeHost) =>
  Object.keys(host.disk.all).filter((path) => path.startsWith(`${FOLDER}/`))

test('downloads the program once', async () => {
  const host = fakeHost()
  host.pages.set('https://restic.example/restic', 'restic')

  expect(await provide(host)).toEqual([['Downloading restic'], {}])
  expect(await provide(host)).toEqual([[], {}])
  expect(host.disk.all).toMatchObject({
    [resticPath(host)]: 'restic',
    [`${FOLDER}/restic.sha256`]: host.settings.restic_sha256,
  })
  expect(host.ran).toEqual([`chmod 0755 ${FOLDER}/.restic`, `${FOLDER}/.restic version`])
})

test('takes the program out of a Debian package', async () => {
  const host = packaged()
  host.pages.set(FIRST, 'package')

  expect(await provide(host)).toEqual([['Downloading restic'], {}])

  expect(programsOf(host)).toEqual([`${FOLDER}/restic`, `${FOLDER}/restic.sha256`])
  expect(host.disk.text(resticPath(host))).toBe('from ./usr/bin/restic')
  expect(host.ran).toEqual([
    `dpkg-deb --fsys-tarfile ${FOLDER}/.restic`,
    EXTRACT,
    `chmod 0755 ${FOLDER}/.restic`,
    `${FOLDER}/.restic version`,
  ])
})

test('tries the second address when the first one has no such file', async () => {
  const host = packaged()
  host.pages.set(SECOND, 'package')

  expect(await provide(host)).toEqual([['Downloading restic'], {}])
  expect(host.fetched).toEqual([FIRST, SECOND])
})

test('unpacks nothing that has another checksum', async () => {
  const host = packaged()
  host.pages.set(FIRST, 'package')
  host.net.download = async () => 'f'.repeat(64)

  const [, message] = await provide(host)

  expect(message).toBe(
    `restic is not available (${FIRST} is not the expected file; ${SECOND} is not the expected file): put a copy at ${COPY}`,
  )
  expect([host.ran, programsOf(host)]).toEqual([[], []])
})

test.each([EXTRACT, `${FOLDER}/.restic version`])('leaves no file if %p fails', async (program) => {
  const host = packaged()
  host.pages.set(FIRST, 'package')
  host.fail(program, 'no')

  const [, message] = await provide(host)

  expect(message).toContain('restic is not available')
  expect(programsOf(host)).toEqual([])
})

test('plans the download and the files', async () => {
  const plan = await planOf(await resticSteps(packaged()))

  expect(plan.steps[0]?.effects).toEqual([
    { action: 'run', kind: 'download', name: FIRST },
    { action: 'create', kind: 'folder', name: FOLDER },
    { action: 'create', kind: 'file', name: `${FOLDER}/restic` },
    { action: 'create', kind: 'file', name: `${FOLDER}/restic.sha256` },
  ])
})
