// tier: full
import { afterAll, expect } from 'bun:test'
import * as lab from '#tests/support/lab/index.ts'
import { unless } from '#tests/support/skip.ts'
import { startRestServer } from '#tests/support/storage/rest.ts'
import { AgentClock } from '#tests/support/system/set-clock.ts'
import { savedYesterday } from '#tests/support/system/stolen-world.ts'
import { testProgram } from '#tests/support/system/test-program.ts'
import { MINUTES, World } from '#tests/support/system/world.ts'

const YEAR = 365 * 24 * 60 * MINUTES
const SOURCE = 'tests/support/system/clocked-agent.ts'

const world = new World({
  ...{ name: 'clock', suite: 'trixie', init: 'systemd', php: '8.4', image: 'provisioned' },
})

unless(lab.available()).test(
  'a server whose clock jumps by a year is backed up and proven, and no backup hides a later one',
  async () => {
    await world.start(await testProgram(SOURCE))
    const { dashboard, host } = world
    const clock = new AgentClock(host)
    const storage = await startRestServer()
    const { site } = await savedYesterday(world, storage.target('shop'))
    const save = async () => (await dashboard.stream('POST', `${site}/backups`)).at(-1)?.event
    const shown = async () => {
      const { body } = await dashboard.call('GET', `${site}/backups`)
      const { backups } = body as unknown as { backups: { id: number; at: string }[] }
      const { body: fleet } = await dashboard.call('GET', '/api/fleet/backups')
      const [row] = (fleet as unknown as { sites: { state: string; last_at: string }[] }).sites
      const hours = (Date.now() - Date.parse(row?.last_at ?? '')) / (60 * MINUTES)
      return { ids: backups.map(({ id }) => id), state: row?.state, days: Math.round(hours / 24) }
    }
    expect(await shown()).toEqual({ ids: [1], state: 'ok', days: 0 })

    const saveDuring = async (jump: number) => {
      const saving = save()
      const isReading = async () => (await host.exec(['pgrep', 'restic'])).code === 0
      await lab.poll(isReading, { timeout_ms: MINUTES, every_ms: 50 })
      await clock.change(jump)
      expect(await saving).toBe('complete')
    }
    await saveDuring(YEAR)
    const proof = (await dashboard.stream('POST', `${site}/backups/prove`)).at(-1)
    expect(proof?.data).toMatchObject({ proof: { proven: true } })
    await saveDuring(0)
    expect(await shown()).toEqual({ ids: [3, 2, 1], state: 'ok', days: 0 })
    expect(await save()).toBe('complete')
    expect(await shown()).toEqual({ ids: [4, 3, 2, 1], state: 'ok', days: 0 })

    // Of a clock that is behind, the date is believed: nobody knows what the backup has.
    await clock.change(-YEAR)
    expect(await save()).toBe('complete')
    expect(await shown()).toEqual({ ids: [5, 4, 3, 2, 1], state: 'late', days: 365 })
    await clock.change(0)
    expect(await save()).toBe('complete')
    expect(await shown()).toEqual({ ids: [6, 5, 4, 3, 2, 1], state: 'ok', days: 0 })
    expect((await dashboard.call('POST', `${site}/backups/refresh`)).body).toEqual({
      ...{ gone: 0, found: 0 },
    })
  },
  15 * MINUTES,
)

afterAll(() => world.stop(), 5 * MINUTES)
