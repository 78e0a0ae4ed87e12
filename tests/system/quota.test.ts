// tier: full
import { beforeAll, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { must } from '#tests/support/lab/run.ts'
import { unless } from '#tests/support/skip.ts'
import { runInMachine } from '#tests/support/vm/boot.ts'
import { machineObstacle, prepareImage } from '#tests/support/vm/image.ts'

const MINUTES = 60_000
const GUEST = 'tests/support/system/quota-guest.ts'
const EXCEEDED = 'fallocate: fallocate failed: Disk quota exceeded'
const CREATED = ['Creating the system user', 'Setting the disk quota', 'Creating the folders']

/** More than the largest tier of this test, twice: nothing else than the quota ends it. */
const DISK_GIB = 64

unless(await machineObstacle()).describe('the disk quota of a site', () => {
  let proof: Record<string, unknown>

  beforeAll(async () => {
    await prepareImage()
    const folder = await mkdtemp(join(tmpdir(), 'quota-'))
    const guest = join(folder, 'guest')
    await must([process.execPath, 'build', '--compile', `--outfile=${guest}`, GUEST])
    proof = JSON.parse(await runInMachine(guest, DISK_GIB))
    await rm(folder, { recursive: true })
  }, 15 * MINUTES)

  test.each(['ext4', 'xfs'])(
    'is enforced by the kernel on %s, and concerns that site alone',
    (type) => {
      const lines = ['shop', 'store'].flatMap((user) =>
        CREATED.map((line) => (line.endsWith('user') ? `${line} ${user}` : line)),
      )
      expect(proof[type]).toEqual({
        off: false,
        lines,
        small: {
          limits: [9_765_628, 250_000],
          within: 'done',
          beyond: EXCEEDED,
          other_user: "chown: changing ownership of '/srv/www/shop/tmp/a': Operation not permitted",
          // That is why the limit is not one of a project.
          other_project: 'done',
          still_beyond: EXCEEDED,
          neighbour: 'done',
        },
        copied: {
          fetched: ['done'],
          still_beyond: EXCEEDED,
          limits: [9_765_628, 250_000],
        },
        files: {
          beyond: "touch: cannot touch '400': Disk quota exceeded",
          used: 300,
          neighbour: 'done',
        },
        medium: {
          lines: ['Setting the disk quota'],
          limits: [24_414_064, 500_000],
          within: 'done',
          beyond: EXCEEDED,
        },
        trash: { kept: true, back: 'done', beyond: EXCEEDED },
        purged: null,
      })
    },
  )
})
