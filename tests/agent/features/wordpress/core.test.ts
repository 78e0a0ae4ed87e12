import { expect, test } from 'bun:test'
import { provideCore } from '#agent/features/wordpress/core.ts'
import { performed } from '#tests/support/agent/debian.ts'
import { type FakeHost, fakeHost } from '#tests/support/fake-host.ts'

const SHA1 = 'a'.repeat(40)
const CACHE = '/var/lib/hosting-agent/cache/wordpress'
const ASKING = 'Checking https://wordpress.example for the newest WordPress'
const HOUR = 3_600_000

/** A source that publishes WordPress 7.1.1, and a tar that unpacks it. */
function published(host: FakeHost, base = 'https://wordpress.example'): FakeHost {
  host.pages.set(`${base}/latest.tar.gz.sha1`, `${SHA1}\n`)
  host.pages.set(`${base}/latest.tar.gz`, 'archive')
  const { download } = host.net
  host.net.download = async (url: string, path: string) => {
    await download(url, path)
    return SHA1
  }
  const { run } = host.shell
  host.shell.run = async (argv, options) => {
    const target = argv[argv.indexOf('-C') + 1]
    const path = `${target}/wordpress/wp-includes/version.php`
    if (argv[1] === '-xzf') await host.disk.write(path, "<?php\n$wp_version = '7.1.1';\n")
    return run(argv, options)
  }
  return host
}

/** The folder or the message, and the lines. */
async function provide(host: FakeHost): Promise<[string[], string]> {
  let folder = ''
  const [lines, result] = await performed(async function* () {
    folder = yield* provideCore(host)
    return undefined
  })
  return [lines, typeof result === 'string' ? result : folder]
}

test('downloads the newest WordPress once, and checks again after an hour', async () => {
  const host = published(fakeHost())

  expect(await provide(host)).toEqual([[ASKING, 'Downloading WordPress'], `${CACHE}/7.1.1`])
  expect(await provide(host)).toEqual([[], `${CACHE}/7.1.1`])
  host.time += HOUR
  expect(await provide(host)).toEqual([[ASKING], `${CACHE}/7.1.1`])
  expect(host.fetched).toEqual([
    'https://wordpress.example/latest.tar.gz.sha256',
    'https://wordpress.example/latest.tar.gz.sha1',
    'https://wordpress.example/latest.tar.gz',
    'https://wordpress.example/latest.tar.gz.sha256',
    'https://wordpress.example/latest.tar.gz.sha1',
  ])
})

test('leaves only the files and their note', async () => {
  const host = published(fakeHost())

  await provide(host)

  const files = Object.entries(host.disk.all).filter(([, text]) => text !== null)
  expect(files.map(([path]) => path)).toEqual([
    `${CACHE}/7.1.1/wp-includes/version.php`,
    `${CACHE}/latest.json`,
  ])
})

test('keeps the newest versions, and removes what interrupted downloads left', async () => {
  const host = published(fakeHost())
  for (const version of ['6.8', '6.9.9', '6.10', '7.0'])
    await host.disk.write(`${CACHE}/${version}/index.php`, '')
  await host.disk.write(`${CACHE}/.ab12cd34/archive.tar.gz`, '')
  await host.disk.write(`${CACHE}/latest.tar.gz`, '')

  await provide(host)

  const left = (await host.files.list(CACHE)).map(({ name }) => name).sort()
  expect(left).toEqual(['6.10', '7.0', '7.1.1', 'latest.json', 'latest.tar.gz'])
  expect(host.runs.map(({ line }) => line)).toContainEqual(
    expect.stringMatching(/^sync --file-system -- .*\/\.[a-z0-9]{8}$/),
  )
})

test('uses the cached copy when the source is unreachable', async () => {
  const host = published(fakeHost())
  await provide(host)
  host.pages.clear()
  host.time += HOUR

  expect(await provide(host)).toEqual([
    [
      ASKING,
      'WordPress 7.1.1 from the cache is used: https://wordpress.example/latest.tar.gz.sha1 cannot be reached',
    ],
    `${CACHE}/7.1.1`,
  ])
  expect(await provide(host)).toEqual([[], `${CACHE}/7.1.1`])
  expect(host.fetched).toHaveLength(5)
  host.time += 600_000
  await provide(host)
  expect(host.fetched).toHaveLength(7)
})

test('uses a copy that somebody put into the cache when the source is unreachable', async () => {
  const host = published(fakeHost(), `file://${CACHE}`)
  await host.disk.write(`${CACHE}/latest.tar.gz`, 'archive')

  expect(await provide(host)).toEqual([
    [ASKING, `Checking file://${CACHE} for the newest WordPress`, 'Downloading WordPress'],
    `${CACHE}/7.1.1`,
  ])
})

test('says in one line what to do when there is no copy', async () => {
  expect(await provide(fakeHost())).toEqual([
    [ASKING],
    `WordPress is not available (https://wordpress.example/latest.tar.gz.sha1 cannot be reached): put latest.tar.gz and latest.tar.gz.sha256 into ${CACHE}`,
  ])
})

test('tries four times with growing pauses', async () => {
  const host = published(fakeHost())
  const before = host.time
  let asked = 0
  host.net.fetch = async (url: string) => {
    if (url.endsWith('.sha256')) throw new Error('404')
    if (asked++ < 3) throw new Error('reset')
    return new TextEncoder().encode(SHA1)
  }

  const [, folder] = await provide(host)

  expect([folder, asked, host.time - before]).toEqual([`${CACHE}/7.1.1`, 4, 7000])
})

test('refuses an archive that differs from the published one', async () => {
  const host = published(fakeHost())
  host.net.download = async () => 'b'.repeat(40)

  const [, message] = await provide(host)

  expect(message).toContain('latest.tar.gz does not have the published checksum')
  expect(Object.values(host.disk.all).filter((text) => text !== null)).toEqual([])
})

test('uses the SHA-256 if the source publishes one', async () => {
  const host = published(fakeHost())
  const sha256 = 'c'.repeat(64)
  host.pages.set('https://wordpress.example/latest.tar.gz.sha256', `${sha256}  latest.tar.gz\n`)
  const asked: string[] = []
  host.net.download = async (...[, , kind]: [url: string, path: string, digest?: string]) => {
    asked.push(kind ?? '')
    return sha256
  }

  expect((await provide(host))[1]).toBe(`${CACHE}/7.1.1`)

  expect(asked).toEqual(['sha256'])
})

test('uses the pinned checksum of the administrator, and requests none from the source', async () => {
  const host = published(fakeHost())
  host.settings.wordpress_sha256 = 'd'.repeat(64)
  host.net.download = async () => 'e'.repeat(64)

  const [, message] = await provide(host)

  expect(message).toContain('latest.tar.gz does not have the published checksum')
  expect(host.fetched).toEqual([])
})

const FILE = '-rw-r--r-- 0/0             405 2020-02-06 06:33 wordpress/index.php'
test.each([
  ['a link', 'lrwxrwxrwx 0/0 0 2020-02-06 06:33 wordpress/x -> /etc'],
  ['a hard link', 'hrw-r--r-- 0/0 0 2020-02-06 06:33 wordpress/x link to wordpress/y'],
  ['a device', 'crw-r--r-- 0/0 1,3 2020-02-06 06:33 wordpress/null'],
  ['a path upwards', '-rw-r--r-- 0/0 405 2020-02-06 06:33 wordpress/../../etc/cron.d/x'],
  ['an absolute path', '-rw-r--r-- 0/0 405 2020-02-06 06:33 /etc/cron.d/x'],
  ['a folder of its own', 'drwxr-xr-x 0/0 0 2020-02-06 06:33 other/'],
  ['a program with the rights of its owner', '-rwsr-xr-x 0/0 4 2020-02-06 06:33 wordpress/su'],
  ['an odd name', '-rw-r--r-- 0/0 4 2020-02-06 06:33 wordpress/a\\nb'],
  ['a huge file', '-rw-r--r-- 0/0 999999999999 2020-02-06 06:33 wordpress/x'],
  ['too many files', `${FILE}\n`.repeat(20_001)],
])('unpacks no archive with %s', async (_, lines) => {
  const host = published(fakeHost())
  host.answer('tar --list', `${FILE}\n${lines}\n`)

  const [, message] = await provide(host)

  expect(message).toMatch(/The archive (has|unpacks to)/)
  expect(host.ran.filter((line) => line.startsWith('tar -x'))).toEqual([])
})
