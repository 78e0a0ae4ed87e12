import { afterAll, beforeAll, expect, test } from 'bun:test'
import * as lab from '#tests/support/lab/index.ts'
import { unless } from '#tests/support/skip.ts'
import {
  failed,
  LARGE,
  lockExclusively,
  STATES,
  spoil,
} from '#tests/support/system/backup-faults/states.ts'
import { ProofWorld } from '#tests/support/system/proof.ts'

const MINUTES = 60_000
const WORKS = ['restore', 'prove', 'create'] as const
type Work = (typeof WORKS)[number]

unless(lab.available()).describe('a repository', () => {
  let world: ProofWorld
  let backup: string

  const ended = async (work: Work, changed: object = {}, settings: object = {}) => {
    const params = {
      create: world.saving,
      prove: world.paramsOf(backup),
      restore: { ...world.paramsOf(backup), parts: { files: true, database: true } },
    }
    const all = { ...params[work], ...changed }
    const { event, data } = (await world.run(`backup.${work}`, all, 'none', settings)).outcome
    return { event, data }
  }
  const manifests = async (): Promise<{ id: string }[]> =>
    JSON.parse(await world.restic('snapshots', '--json', '--no-lock', '--tag', 'manifest'))
  /** Secrets of the storage, and whatever a hidden site or a restore left. */
  const left = async () => {
    const script = 'find /var/lib/hosting-agent/backups /srv/www/.restore -mindepth 2'
    const { stdout } = await world.host.exec(['bash', '-c', script])
    return [...(await world.left()), ...stdout.trim().split('\n').sort()]
  }
  const everything = async () => ({ state: await world.state(), left: await left() })

  beforeAll(async () => {
    world = await ProofWorld.start('states')
    await world.backUp()
    backup = await world.backUp()
    const { event } = await ended('prove')
    expect(event).toBe('complete')
  }, 10 * MINUTES)
  afterAll(() => lab.switchDown(), 5 * MINUTES)

  test.each(STATES.map((state) => [state.change, state.name, state] as const))(
    'has an error or a finding of its own for the %s of %s, and nothing changes',
    async (_, __, { files, change, ...ends }) => {
      const [before, had] = [await everything(), await manifests()]
      const found: object[] = []
      let added = 0
      for (const work of WORKS) {
        const putBack = await spoil(world.host, files(backup), change)
        const outcome = await ended(work)
        if (work === 'create' && outcome.event === 'complete') added = 1
        await putBack()
        found.push({ work, outcome })
        expect({ work, ...(await everything()) }).toEqual({ work, ...before })
      }
      expect(found).toEqual(WORKS.map((work) => ({ work, outcome: ends[work] })))
      expect((await manifests()).length).toBe(had.length + added)
    },
    5 * MINUTES,
  )

  test(
    'with damaged files has a new backup that its proof refuses',
    async () => {
      const putBack = await spoil(world.host, LARGE, 'damage')
      const { data } = await ended('create')
      const proof = await world.prove(data.backup.id)
      await putBack()
      expect(proof).toMatchObject({ proven: false, findings: [{ code: 'damaged' }] })
    },
    5 * MINUTES,
  )

  test(
    'with another password is neither read nor written, and its backup not called damaged',
    async () => {
      const [before, had] = [await everything(), await manifests()]
      for (const work of WORKS) {
        const outcome = await ended(work, { password: 'x'.repeat(48) })
        const message =
          'The repository of this site has another password: find its backups with the recovery kit, or choose another target'
        expect({ work, outcome }).toEqual({ work, outcome: failed(message) })
        expect({ work, ...(await everything()) }).toEqual({ work, ...before })
      }
      expect(await manifests()).toEqual(had)
    },
    5 * MINUTES,
  )

  test(
    'that somebody else has locked is named so, and its backup not called damaged',
    async () => {
      const [before, had] = [await everything(), await manifests()]
      const unlock = await lockExclusively(world.host, world.password)
      for (const work of WORKS) {
        const outcome = await ended(work, {}, { AGENT_RESTIC_STALL: '6' })
        const message =
          'The repository is locked by another program: try again when it has ended; the keeper removes the lock of a killed program'
        expect({ work, outcome }).toEqual({ work, outcome: failed(message) })
        expect({ work, ...(await everything()) }).toEqual({ work, ...before })
      }
      await unlock()
      expect(await manifests()).toEqual(had)
      expect(await ended('create')).toMatchObject({ event: 'complete' })
    },
    5 * MINUTES,
  )
})
