// tier: full, interrupts
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import type { Host } from '#tests/support/lab/index.ts'
import * as lab from '#tests/support/lab/index.ts'
import { unless } from '#tests/support/skip.ts'
import { AGENT_KILLED, FAULTS } from '#tests/support/system/backup-faults/faults.ts'
import { during } from '#tests/support/system/backup-faults/moment.ts'
import { FaultyWorld } from '#tests/support/system/backup-faults/world.ts'
import { SITE } from '#tests/support/system/backup-host.ts'
import {
  expectBackup,
  expectRestore,
  expectSound,
  FETCHES,
  SAVES,
} from '#tests/system/backups/faults/checks.ts'

/** The first program of a name that appears within a minute, by its number. */
const FIND = `while [ $SECONDS -lt 60 ]; do pgrep --exact --newest "$1" && exit; sleep 0.02; done; exit 1`
const PROPERTIES = ['CPUWeight', 'IOWeight', 'MemoryMax', 'TasksMax', 'Slice']

/** What the kernel and systemd have of a running program: its priorities, and the limits of its unit. */
async function weightsOf(host: Host, name: string) {
  const pid = (await host.must(['bash', '-c', FIND, 'find', name])).trim()
  const read = (file: string) => host.must(['cat', `/proc/${pid}/${file}`])
  // Its name stands in parentheses.
  const [, fields = ''] = (await read('stat')).split(') ')
  const unit = /[^/\n]+\.service$/m.exec(await read('cgroup'))?.[0] ?? ''
  const shown = await host.must(['systemctl', 'show', '--property', PROPERTIES.join(), unit])
  const variables = (await read('environ')).split('\0')
  return {
    nice: Number(fields.split(' ')[16]),
    io: (await host.must(['ionice', '-p', pid])).trim(),
    unit: Object.fromEntries(
      shown
        .trim()
        .split('\n')
        .map((line) => line.split('=')),
    ),
    go: variables.filter((line) => line.startsWith('GO')).sort(),
  }
}

const MINUTES = 60_000
setDefaultTimeout(20 * MINUTES)
const ALL = [...FAULTS, AGENT_KILLED].map((fault) => [fault.name, fault] as const)
const STEPS = ['target', 'repository', 'jobs', 'database', 'files', 'release', 'manifest', 'close']

unless(lab.available()).describe('a backup that fails', () => {
  let world: FaultyWorld

  beforeAll(async () => {
    world = await FaultyWorld.start()
  }, 15 * MINUTES)
  afterAll(() => lab.switchDown(), 5 * MINUTES)

  test('runs behind visitors while it works, with bounded memory', async () => {
    const { host } = world.server
    // More than a pipe holds, so that the dump waits for the restic that stands still.
    const row = `INSERT INTO a VALUES (2, REPEAT('x', 4000000))`
    await host.must(['mariadb', SITE.user], { input: row })
    const found: Record<string, unknown> = {}

    const { event } = await during(host, '--tag database', world.create(), async () => {
      for (const name of ['restic', 'mariadb-dump']) found[name] = await weightsOf(host, name)
    })

    expect(event).toBe('complete')
    const low = { nice: 10, io: 'best-effort: prio 7' }
    const weights = { CPUWeight: '20', IOWeight: '20' }
    expect(found).toEqual({
      restic: {
        ...low,
        unit: { ...weights, MemoryMax: `${2 * 2 ** 30}`, TasksMax: '128', Slice: 'system.slice' },
        go: ['GOGC=50', 'GOMEMLIMIT=512MiB'],
      },
      'mariadb-dump': {
        ...low,
        unit: {
          ...{ ...weights, MemoryMax: `${2 ** 30}`, TasksMax: '64' },
          Slice: `hosting-${SITE.user}.slice`,
        },
        go: [],
      },
    })
    await host.must(['mariadb', SITE.user, '-e', 'DELETE FROM a WHERE id = 2'])
  })

  test('at any step leaves the site as it is, and only complete backups', async () => {
    const [before, had] = [await world.everything(), await world.manifests()]
    for (const step of STEPS) {
      const { data } = await world.server.run('backup.create', world.server.saving, `${step}:1`)
      expect([step, data.message]).toEqual([step, 'injected fault'])
      expect([step, await world.changes(before)]).toEqual([step, []])
    }
    const have = await world.manifests()
    // The step after the manifest had a whole backup.
    expect(have.slice(0, -1)).toEqual(had)
    expect((await world.restore({ id: have.at(-1) ?? '' })).event).toBe('complete')
    await world.undo()
    expect(['undone', await world.changes(before)]).toEqual(['undone', []])
  })

  test.each(ALL)('is complete or absent when %s while it is saved', async (_, fault) => {
    for (const words of SAVES) await expectBackup(world, words, fault)
    await expectSound(world)
  })

  test.each(ALL)('is restored or changes nothing when %s while it is fetched', async (_, fault) => {
    for (const words of FETCHES) await expectRestore(world, words, fault)
  })
})
