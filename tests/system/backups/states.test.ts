// tier: full, interrupts
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import * as lab from '#tests/support/lab/index.ts'
import { openedBy } from '#tests/support/repository-password.ts'
import { long } from '#tests/support/runs.ts'
import { unless } from '#tests/support/skip.ts'
import { failed, isLarge, STATES } from '#tests/support/system/backup-faults/states.ts'
import { StatesWorld, WORKS, type Work } from '#tests/support/system/backup-faults/states-world.ts'
import type { StorageKind } from '#tests/support/system/backup-faults/storages.ts'
import { inTurn } from '#tests/support/turns.ts'

const MINUTES = 60_000
setDefaultTimeout(10 * MINUTES)

const PLACES: readonly [StorageKind | 'local', string][] = [
  ['local', 'in a folder of the server'],
  ['rest', 'on a REST server'],
  ['sftp', 'in an SFTP account'],
  ['s3', 'in a bucket of S3'],
]

/** Which work comes first: the storages have all of them together for each state. */
const FIRST: Record<StorageKind, number> = { sftp: 0, s3: 1, rest: 2 }

/** What each work with a repository does when the repository is not as restic left it. */
for (const [kind, place] of inTurn(PLACES, 'backup.states')) {
  unless(lab.available()).describe(`a repository ${place}`, () => {
    let world: StatesWorld

    /** In a folder of the server all; the other storages have one each, and in the long mode all. */
    const worksOf = (at: number): readonly Work[] =>
      kind === 'local' || long
        ? WORKS
        : WORKS.filter((_, work) => (at + FIRST[kind]) % WORKS.length === work)

    beforeAll(async () => {
      world = await StatesWorld.start(kind)
    }, 15 * MINUTES)
    afterAll(() => lab.switchDown(), 5 * MINUTES)

    // First: a backup without an index saves all again, and restic then reads the other copy.
    test('with damaged files has a new backup that its proof refuses', async () => {
      const putBack = await world.spoil(isLarge, 'damage')
      const { data } = await world.ended('create')
      const proof = await world.server.prove(data.backup.id)
      await putBack()
      expect(proof).toMatchObject({ proven: false, findings: [{ code: 'damaged' }] })
    })

    test.each(STATES.map((state, at) => [state.change, state.name, state, at] as const))(
      'has an error or a finding of its own for the %s of %s, and nothing changes',
      async (_, __, { files, change, ...ends }, at) => {
        const [before, had] = [await world.everything(), await world.manifests()]
        const works = worksOf(at)
        const found: object[] = []
        let added = 0
        for (const work of works) {
          const putBack = await world.spoil(files(world.backup), change)
          const outcome = await world.ended(work)
          if (work === 'create' && outcome.event === 'complete') added = 1
          await putBack()
          found.push({ work, outcome })
          expect({ work, ...(await world.everything()) }).toEqual({ work, ...before })
        }
        expect(found).toEqual(works.map((work) => ({ work, outcome: ends[work] })))
        expect((await world.manifests()).length).toBe(had.length + added)
      },
    )

    test('with another password is neither read nor written, and its backup not called damaged', async () => {
      const [before, had] = [await world.everything(), await world.manifests()]
      for (const work of WORKS) {
        const outcome = await world.ended(work, openedBy('x'.repeat(48)))
        const message =
          'The repository of this site has another password: find its backups with the recovery kit, or choose another target'
        expect({ work, outcome }).toEqual({ work, outcome: failed(message) })
        expect({ work, ...(await world.everything()) }).toEqual({ work, ...before })
      }
      expect(await world.manifests()).toEqual(had)
    })

    test('that somebody else has locked is named so, and its backup not called damaged', async () => {
      const [before, had] = [await world.everything(), await world.manifests()]
      const unlock = await world.lock()
      for (const work of WORKS) {
        const outcome = await world.ended(work, {}, { AGENT_RESTIC_STALL: '6' })
        const message =
          'The repository is locked by another program: try again when it has ended; the keeper removes the lock of a killed program'
        expect({ work, outcome }).toEqual({ work, outcome: failed(message) })
        expect({ work, ...(await world.everything()) }).toEqual({ work, ...before })
      }
      await unlock()
      expect(await world.manifests()).toEqual(had)
      expect(await world.ended('create')).toMatchObject({ event: 'complete' })
    })
  })
}
