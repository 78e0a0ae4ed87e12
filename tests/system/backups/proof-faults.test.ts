// tier: full
import { afterAll, beforeAll, expect, test } from 'bun:test'
import * as lab from '#tests/support/lab/index.ts'
import { unless } from '#tests/support/skip.ts'
import { startRestServer } from '#tests/support/storage/rest.ts'
import { onDisk, shrink } from '#tests/support/system/backup-faults/disk.ts'
import { during } from '#tests/support/system/backup-faults/moment.ts'
import { ProofWorld, SITE } from '#tests/support/system/proof.ts'

const MINUTES = 60_000
/** The restics of a proof: it opens the repository, reads the manifest, and fetches files and database. */
const READS = ['cat config', '/manifest.json', '--sparse', '/database.sql']
/** The last one, for the keeper; the backup is already proven. */
const MARK = '--tag proof'

unless(lab.available()).describe('a proof that fails', () => {
  let world: ProofWorld
  let storage: Awaited<ReturnType<typeof startRestServer>>
  let backup: string

  /** The proof, during which something happens at one of its restics. */
  const prove = async (words: string, fault: (pid: string) => Promise<unknown>) => {
    const settings = { AGENT_RESTIC_STALL: '6' }
    const work = world.run('backup.prove', world.paramsOf(backup), 'none', settings)
    const { event, data } = (await during(world.host, words, work, fault)).outcome
    return { event, data }
  }
  /** The snapshots that say which backup is proven. */
  const marks = () => storage.host.must(['ls', `${storage.folder}/shop/${SITE.user}/snapshots`])
  const everything = async () => ({
    state: await world.state(),
    left: await world.left(),
    secrets: await world.host.must(['ls', '-R', '/var/lib/hosting-agent/backups']),
    marks: await marks(),
  })

  beforeAll(async () => {
    world = await ProofWorld.start('prooffaults')
    storage = await startRestServer()
    world.target = storage.target('shop')
    backup = await world.backUp()
    await world.quicken(`${storage.host.root}${storage.folder}/shop`)
    expect(await world.prove(backup)).toMatchObject({ proven: true, findings: [] })
  }, 10 * MINUTES)
  afterAll(() => lab.switchDown(), 5 * MINUTES)

  test('because restic is killed has no verdict and leaves nothing', async () => {
    const before = await everything()
    for (const words of READS) {
      const outcome = await prove(words, (pid) => world.host.must(['kill', '-KILL', pid]))
      expect({ words, outcome }).toEqual({
        words,
        outcome: {
          event: 'error',
          data: {
            error: 'Internal error',
            message: expect.stringMatching(/^restic was killed: check that this server has /),
          },
        },
      })
      expect({ words, ...(await everything()) }).toEqual({ words, ...before })
    }
  })

  test('because the network is cut has no verdict and leaves nothing', async () => {
    const before = await everything()
    for (const words of READS) {
      const outcome = await prove(words, () => storage.host.partition(true))
      await storage.host.partition(false)
      expect({ words, outcome }).toEqual({
        words,
        outcome: {
          event: 'error',
          data: {
            ...{ error: 'Internal error', code: 'target_unreachable' },
            message: expect.stringMatching(/^The target did not answer: check the network /),
          },
        },
      })
      expect({ words, ...(await everything()) }).toEqual({ words, ...before })
    }
  })

  test.each([
    ['files', '--sparse'],
    ['dump', '/database.sql'],
  ])(
    'because the disk of the server is full at its %s has no verdict and leaves nothing',
    async (_, words) => {
      const release = await onDisk(world.host, '/srv/www')
      const before = await everything()

      const outcome = await prove(words, () => shrink(world.host, '/srv/www', 64))
      const after = await everything()
      await release()

      expect(outcome).toEqual({
        event: 'error',
        data: {
          error: 'Internal error',
          code: 'disk_full',
          message: expect.stringMatching(
            /^No space left on a disk of this server: free some space/,
          ),
        },
      })
      expect(after).toEqual(before)
    },
  )

  test('only to tell the keeper has the right verdict', async () => {
    const before = await everything()
    const outcome = await prove(MARK, () => storage.host.partition(true))
    await storage.host.partition(false)
    expect(outcome).toMatchObject({
      event: 'complete',
      data: {
        proof: { proven: true, findings: [] },
        warnings: [
          { code: 'not_marked', message: expect.stringContaining('The target did not answer') },
        ],
      },
    })
    expect(await everything()).toEqual(before)
  })
})
