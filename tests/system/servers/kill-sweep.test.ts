// tier: gate, interrupts
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Background, background } from '#tests/support/lab/background.ts'
import * as lab from '#tests/support/lab/index.ts'
import { unless } from '#tests/support/skip.ts'
import { EverydaySweeps, SHOP } from '#tests/support/system/sweep/everyday.ts'
import type { Scenario, Work } from '#tests/support/system/sweep/sweep.ts'

const MINUTES = 60_000
setDefaultTimeout(10 * MINUTES)
const PORT = 2525
const RELAY_PROGRAM = 'tests/support/system/smtp-relay.ts'

/** Leaves the server as it was, or nothing to undo. */
const repeatable = (command: string, params: object): Scenario => ({
  work: [command, params],
  back: [],
})
const unattended = (isOn: boolean): Work => ['updates.configure', { unattended: isOn }]

unless(lab.available()).describe('a command of a server that is cut off', () => {
  const folder = mkdtempSync(join(tmpdir(), 'relay-'))
  let sweeps: EverydaySweeps
  let relay: Background | undefined

  beforeAll(async () => {
    sweeps = await EverydaySweeps.start('sweep-server')
    const { netns } = sweeps.agent.host
    const argv = ['ip', 'netns', 'exec', netns, process.execPath, RELAY_PROGRAM, `${PORT}`, folder]
    const started = background(argv, { PATH: process.env.PATH ?? '' })
    relay = started
    await lab.poll(() => started.output().includes('listening'))
  }, 10 * MINUTES)
  afterAll(async () => {
    await relay?.stop('SIGKILL')
    await sweeps?.end()
    rmSync(folder, { recursive: true, force: true })
  }, 10 * MINUTES)

  const survives = (title: string, scenario: Scenario) =>
    test(title, async () => expect(await sweeps.killed(scenario)).toEqual([]))

  survives('has restarted nginx', repeatable('service.restart', { service: 'nginx' }))
  survives('has restarted MariaDB', repeatable('service.restart', { service: 'mariadb' }))
  survives(
    'has restarted the PHP of a site',
    repeatable('service.restart', { service: `php-fpm:${SHOP.user}` }),
  )
  survives('has installed the updates', repeatable('server.update', { scope: 'all' }))
  test('has switched unattended updates or not', async () => {
    // Its packages stay on the server.
    await sweeps.warm(unattended(true))
    expect(await sweeps.killed({ work: unattended(false), back: [unattended(true)] })).toEqual([])
  })

  test('has sent a message or not', async () => {
    const rules = { enabled: true, from_address: null, rewrite_from: null, hourly_limit: null }
    const given = {
      host: '127.0.0.1',
      port: PORT,
      tls: 'none',
      user: 'server',
      password: 'right',
    }
    await sweeps.warm(['mail.apply', { ...rules, relay: given }])
    await sweeps.mailQueueListens()
    expect(await sweeps.killed(repeatable('mail.check', { to: 'ann@example.org' }))).toEqual([])
  })
})
