import { expect, test } from 'bun:test'
import { wpCliSteps } from '#agent/features/wordpress/wp-cli.ts'
import { performSteps } from '#agent/kernel/operations/steps.ts'
import { performed } from '#tests/support/agent/debian.ts'
import { type FakeHost, fakeHost } from '#tests/support/fake-host.ts'

const PHAR = '/usr/local/lib/hosting/wp-cli.phar'
const COPY = '/var/lib/hosting-agent/cache/wp-cli.phar'

const provide = (host: FakeHost) =>
  performed(async () => performSteps(await wpCliSteps(host), async () => undefined))

test('downloads wp-cli once', async () => {
  const host = fakeHost()
  host.pages.set(host.settings.wp_cli_url, 'phar')

  expect(await provide(host)).toEqual([['Downloading wp-cli'], {}])
  expect(await provide(host)).toEqual([[], {}])
  expect(host.disk.all).toMatchObject({ [PHAR]: 'phar' })
  expect(host.ran).toEqual(['chmod 0644 /usr/local/lib/hosting/.wp-cli.phar'])
})

test('prefers a copy that somebody put into the cache', async () => {
  const host = fakeHost()
  await host.disk.write(COPY, 'phar')
  host.pages.set(`file://${COPY}`, 'phar')

  await provide(host)

  expect(host.fetched).toEqual([`file://${COPY}`])
})

test('refuses a file with another checksum', async () => {
  const host = fakeHost()
  host.pages.set(host.settings.wp_cli_url, 'phar')
  host.net.download = async () => 'f'.repeat(128)

  const [, message] = await provide(host)

  expect(message).toBe(
    `wp-cli is not available (https://wp-cli.example/wp-cli.phar is not the expected file): put a copy at ${COPY}`,
  )
  expect(Object.values(host.disk.all).filter((text) => text !== null)).toEqual([])
})
