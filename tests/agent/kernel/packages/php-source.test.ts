import { expect, test } from 'bun:test'
import { phpSourceSteps } from '#agent/kernel/packages/php-source.ts'
import { contextOf, debian, performed } from '#tests/support/agent/debian.ts'
import { KEY, offerSource, setSource, sourceFiles } from '#tests/support/agent/php-repository.ts'
import type { FakeHost } from '#tests/support/fake-host.ts'

const CANDIDATE = '/etc/apt/hosting-php.sources'
const PLACES = [
  '/etc/apt/apt.conf.d/61hosting-php',
  '/etc/apt/keyrings/hosting-php.asc',
  '/etc/apt/preferences.d/hosting-php',
  '/etc/apt/sources.list.d/hosting-php.sources',
]

const bookworm = (given?: Parameters<typeof offerSource>[1]) => offerSource(debian(), given)

const add = (host: FakeHost) =>
  performed(async () => contextOf(host).perform(await phpSourceSteps(host)))

test('adds the repository with its key, below the version of Debian, and reads only its lists', async () => {
  const host = bookworm()

  const [lines] = await add(host)

  expect(lines).toEqual([
    'Adding the PHP repository https://php.example/php',
    'Reading the package lists of the repository',
  ])
  expect(sourceFiles(host)).toEqual(PLACES)
  const [origin, key, preferences, source] = PLACES.map((path) => host.disk.all[path])
  expect(source).toBe(`# Made by Hosting Control. Changes in this file are overwritten.
Types: deb
URIs: https://php.example/php
Suites: bookworm
Components: main
Signed-By: /etc/apt/keyrings/hosting-php.asc
`)
  expect(preferences).toContain('Package: php8.2-* ')
  expect(preferences).toContain('\nPin: origin "php.example"\nPin-Priority: 100\n')
  expect(origin).toContain('"site=php.example";')
  expect(String(key).replace(/\s/g, '')).toContain(KEY)
  expect(host.ran).toEqual([
    'apt-get -o DPkg::Lock::Timeout=300 -o Dpkg::Options::=--force-confold -o Dir::Etc::SourceList=/etc/apt/hosting-php.sources -o Dir::Etc::SourceParts=- -o APT::Get::List-Cleanup=0 -o APT::Update::Error-Mode=any update -q',
  ])
  expect(await phpSourceSteps(host)).toEqual([])
})

const unsigned = (host: FakeHost) =>
  host.fail('apt-get -o DPkg::Lock', 'E: The repository is not signed.')
const KEYRING = 'https://php.example/php/apt.gpg'
const OTHER = '1'.repeat(40)

test.each([
  [
    'whose key is another',
    () => bookworm({ fingerprint: OTHER }),
    `${KEYRING} does not have the key ${OTHER}`,
  ],
  [
    'without a key',
    () => bookworm({ page: '<html>Not found</html>' }),
    `${KEYRING} is not an OpenPGP keyring`,
  ],
  [
    'that apt cannot verify',
    () => bookworm(),
    'apt cannot use the PHP repository: The repository is not signed.',
  ],
])('leaves nothing of a repository %s', async (_, made, message) => {
  const host = made()
  unsigned(host)

  expect((await add(host))[1]).toBe(message)
  expect(sourceFiles(host)).toEqual([])
})

test('replaces the repository of other settings, and restores it if the new one fails', async () => {
  const host = bookworm()
  await add(host)
  const before = { ...host.disk.all }
  setSource(host, { url: 'https://mirror.example/php' })
  unsigned(host)

  await add(host)

  expect({ ...host.disk.all }).toEqual(before)
})

test('a loss of power never leaves the source without the priority of Debian', async () => {
  const host = bookworm()
  const written: string[] = []
  const { write } = host.files
  host.files.write = async (path, text, options) => {
    written.push(path)
    await write.call(host.files, path, text, options)
  }

  await add(host)

  const [origin, key, preferences] = PLACES
  expect([...written].sort()).toEqual([origin, CANDIDATE, key, preferences] as string[])
  expect(written.at(-1)).toBe(CANDIDATE)
  expect(sourceFiles(host)).toEqual(PLACES)
})
