import { afterAll, beforeAll, expect, test } from 'bun:test'
import { existsSync, writeFileSync } from 'node:fs'
import { wordpressMirror } from '#scripts/wordpress-mirror.ts'
import type { StoredEvent } from '#shared/sse.ts'
import * as lab from '#tests/support/lab/index.ts'
import { must } from '#tests/support/lab/run.ts'
import { unless } from '#tests/support/skip.ts'
import { Asking } from '#tests/support/system/asking.ts'
import { startMachine } from '#tests/support/system/machine.ts'
import { packaged } from '#tests/support/system/packaged.ts'
import { CRASH_POINTS, type CrashPoint } from '#tests/support/system/sweep/crash-point.ts'
import { type State, stateOf } from '#tests/support/system/sweep/state.ts'

const MINUTES = 60_000
const PROGRAM = 'dist/crashing-agent'
const SOURCE = 'tests/support/system/sweep/crashing-agent.ts'
const STATE = '/var/lib/hosting-agent'
const RESERVE = `${STATE}/reserve/room`
const ON_DISK = ['/srv', STATE, '/var/lib/mysql']

const domain = 'full.example.test'
const site = {
  domain,
  ...{ php: '8.2', tier: 'small', tls: 'none', email: 'o@example.test', user: 'full1a2b3c' },
}

unless(lab.available()).describe('a disk that is full', () => {
  let host: lab.Host
  let asking: Asking

  const end = async (ended: Promise<StoredEvent[]>) => (await ended).at(-1)
  const run = async (command: string, params: object) => {
    const last = await end(asking.start(command, params).ended)
    expect([command, last?.event, last?.data]).toEqual([command, 'complete', expect.anything()])
  }
  const resize = (size: string) => host.must(['mount', '-o', `remount,size=${size}`, '/disk'])
  const fill = async () => {
    const used = await host.must(['df', '--output=used', '/disk'])
    await resize(`${Number(used.split('\n')[1])}k`)
  }

  /** The disk fills up while the agent is stopped behind the n-th record of its journal. */
  const filledAt = async (record: number, command: string, params: object, reserve: boolean) => {
    const point: CrashPoint = { file: 'journal', record, when: 'after', how: 'SIGSTOP' }
    writeFileSync(`${host.root}${CRASH_POINTS}`, JSON.stringify([point]))
    const { ended } = asking.start(command, params)
    const met = await lab.poll(() => !existsSync(`${host.root}${CRASH_POINTS}`), {
      timeout_ms: 3 * MINUTES,
    })
    expect(met).toBe(true)
    if (!reserve) await host.must(['rm', '-f', RESERVE])
    await fill()
    await host.must(['systemctl', 'kill', '--signal=SIGCONT', 'hosting-agent.service'])
    return await end(ended)
  }
  /** Twice the same: jobs of the machine come and go. */
  const settled = async () => {
    let last = await stateOf(host)
    const same = async () => {
      const before = last
      last = await stateOf(host)
      return Bun.deepEquals(last, before)
    }
    await lab.poll(same, { every_ms: 1000, timeout_ms: 3 * MINUTES })
    return last
  }
  const becomes = async (state: State) => {
    const same = async () => Bun.deepEquals(await stateOf(host), state)
    await lab.poll(same, { every_ms: 500, timeout_ms: 3 * MINUTES })
    expect(await stateOf(host)).toEqual(state)
  }

  beforeAll(async () => {
    await must([process.execPath, 'build', '--compile', `--outfile=${PROGRAM}`, SOURCE])
    const mirror = await wordpressMirror()
    const image = await packaged('bookworm')
    const machine = { name: 'full', suite: 'bookworm', init: 'systemd', image } as const
    host = await startMachine(machine, { program: PROGRAM, mirror })
    asking = Asking.plainly(host)
    await run('site.create', site)
    await run('site.delete', { domain })
    await run('site.purge', { domain, confirm: domain })
    const services = ['hosting-agent.service', 'mariadb.service']
    await host.must(['systemctl', 'stop', ...services])
    await host.must(['mkdir', '/disk'])
    await host.must(['mount', '-t', 'tmpfs', '-o', 'mode=755,size=2g', 'tmpfs', '/disk'])
    for (const [index, path] of ON_DISK.entries()) {
      await host.must(['cp', '--archive', path, `/disk/${index}`])
      await host.must(['mount', '--bind', `/disk/${index}`, path])
    }
    await host.must(['systemctl', 'start', ...services])
    const kept = async () => (await host.exec(['test', '-s', RESERVE])).code === 0
    expect(await lab.poll(kept, { timeout_ms: 3 * MINUTES })).toBe(true)
  }, 10 * MINUTES)
  afterAll(() => lab.switchDown(), 5 * MINUTES)

  /** Fails for the disk; with free space again the server is as before, and the same call works. */
  const fails = async (records: number[], command: string, params: object, reserve = true) => {
    const before = await settled()
    for (const record of records) {
      const last = await filledAt(record, command, params, reserve)
      const message = expect.stringMatching(/No space left on a disk of this server/)
      expect([record, last?.event, last?.data]).toEqual([
        record,
        'error',
        { error: 'Internal error', message },
      ])
      await resize('2g')
      await becomes(before)
    }
    await run(command, params)
  }

  test('creates no incomplete site', () => fails([5, 7, 19], 'site.create', site), 5 * MINUTES)
  test('does not move a site', () => fails([9], 'site.delete', { domain }), 3 * MINUTES)
  test(
    'keeps a site in the trash when no space was reserved either',
    () => fails([1], 'site.restore', { domain }, false),
    5 * MINUTES,
  )

  test(
    'lets the agent start and answer',
    async () => {
      await fill()
      await host.must(['systemctl', 'restart', 'hosting-agent.service'])
      const health = ['bash', '-c', 'exec 3<>/dev/tcp/127.0.0.1/8443']
      const answers = async () => (await host.exec(health)).code === 0
      expect(await lab.poll(answers, { timeout_ms: 3 * MINUTES })).toBe(true)
      await resize('2g')
    },
    5 * MINUTES,
  )

  test(
    'or read-only: is reported, changes nothing, and then continues',
    async () => {
      const before = await settled()
      const change = { domain, tier: 'medium' }
      await host.must(['mount', '-o', 'remount,bind,ro', STATE])
      const refused = await asking.call('/exec', { command: 'site.update', params: change })
      await host.must(['mount', '-o', 'remount,bind,rw', STATE])

      expect(refused).toContain('A disk of this server is read-only')
      await becomes(before)
      await run('site.update', change)
    },
    5 * MINUTES,
  )
})
