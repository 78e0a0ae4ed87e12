import { expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import * as lab from '#tests/support/lab/index.ts'
import { startInside } from '#tests/support/system/inside.ts'
import { type LoggedSite, SECRET } from '#tests/support/system/logged.ts'
import { MINUTES } from '#tests/support/system/world.ts'

const RELAY = join(import.meta.dir, '../smtp-relay.ts')
const PORT = 2525

/** What the logs of a site tell after a fatal error of PHP. */
export function hasErrorsAndMail(logged: LoggedSite): void {
  test(
    'counts the fatal errors of the plugin that caused them',
    async () => {
      const { body } = await logged.world.dashboard.call('GET', `${logged.at}/fatals`)

      expect(body.groups).toMatchObject([{ kind: 'must-use plugin', slug: 'faulty', count: 1 }])
    },
    MINUTES,
  )

  test('finds errors of PHP and nginx by level and text', () => findsErrors(logged), MINUTES)

  test(
    'has the mail that the relay took, and what it refused',
    () => findsMail(logged),
    3 * MINUTES,
  )
}

async function findsErrors(logged: LoggedSite): Promise<void> {
  const [fatal, ...more] = await logged.search('source=php&level=fatal&text=missing_function')
  expect([fatal?.level, more]).toEqual(['fatal', []])
  expect(await logged.search('source=php&level=fatal&text=another_function')).toEqual([])

  await logged.visit(`/?long=yes&key=${SECRET}`)
  expect(await logged.found('source=error&level=error&text=too+big+header')).toBe(true)
  const [line, ...others] = await logged.search('source=error&level=error&text=too+big+header')
  expect([line?.level, others]).toEqual(['error', []])
  expect(line?.text).toStartWith('upstream sent too big header while reading response header')
  expect(line?.text).toContain('request: "GET /?long=yes&key=[masked] HTTP/1.1"')
  expect(await logged.search('source=error&level=fatal&text=too+big+header')).toEqual([])
}

async function findsMail(logged: LoggedSite): Promise<void> {
  const { world } = logged
  const folder = mkdtempSync(join(tmpdir(), 'relay-'))
  const argv = [process.execPath, RELAY, String(PORT), folder]
  const relay = await startInside(world.host.netns, argv, /^listening/)
  const setting = { relay: { host: '127.0.0.1', port: PORT, tls: 'none' } }
  const events = await world.dashboard.stream('PUT', world.path('/mail'), setting)
  expect(events.at(-1)?.event).toBe('complete')
  const sends = async (to: string) => (await logged.page(`/?mail=${to}`)) === 'true'
  expect(await lab.poll(() => sends('ann@example.org'))).toBe(true)
  expect(await sends('bounce@example.org')).toBe(true)

  const sent = 'source=mail&level=info&text=sent+to+ann%40example.org'
  const refused = 'source=mail&level=error&text=bounce%40example.org'
  expect(await logged.found(sent)).toBe(true)
  expect(await logged.found(refused)).toBe(true)
  const [taken] = await logged.search(sent)
  expect(taken?.text).toMatch(/^\S+ sent to ann@example\.org$/)
  const [failed] = await logged.search(refused)
  expect(failed?.text).toMatch(/^\S+ refused for bounce@example\.org: 550 5\.1\.1 No such user$/)
  expect(await logged.search('source=mail&level=error&text=ann%40example.org')).toEqual([])
  await relay.stop()
  rmSync(folder, { recursive: true })
}
