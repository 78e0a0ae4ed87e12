// tier: gate
import { afterAll, beforeAll, expect, test } from 'bun:test'
import * as lab from '#tests/support/lab/index.ts'
import { unless } from '#tests/support/skip.ts'
import {
  EVIL,
  ended,
  expectHarmless,
  HostileWorld,
  othersOf,
} from '#tests/support/system/hostile-archive.ts'
import { hostileCopies } from '#tests/support/system/hostile-copies.ts'
import { publicOf, type Variant } from '#tests/support/system/hostile-entries.ts'
import { releases } from '#tests/support/turns.ts'

const MINUTES = 60_000
const REFUSED: Variant[] = [
  'a link to /',
  'a link to /etc/ssh',
  'a link to the neighbour',
  'a file',
]

/** An archive of somebody who has the server and the repository of a site. */
for (const suite of releases('hostile-archive')) {
  unless(lab.available()).describe(`a hostile backup on ${suite}`, () => {
    let world: HostileWorld
    beforeAll(async () => {
      world = await HostileWorld.start(suite)
    }, 15 * MINUTES)
    afterAll(() => lab.switchDown(), 5 * MINUTES)

    const state = () => world.state()
    const restore = (...args: Parameters<HostileWorld['restore']>) => world.restore(...args)

    test(
      'its links, owners, bits, pipes and marks are harmless after a restore, and its undo',
      async () => {
        const { one } = world
        const [before, others] = [await state(), await othersOf(one.host)]
        const { id } = await world.plant('everything')

        expect(ended(await restore(id))).toBe('complete')
        await expectHarmless(one, EVIL, others)
        expect(await one.host.must(['cat', `${publicOf(EVIL.user)}/line\nbreak`])).toBe('planted')
        expect(ended(await restore(world.good.id))).toBe('complete')
        expect(await state()).toBe(before)
        await one.completed('backup.undo', { domain: EVIL.domain })
        await expectHarmless(one, EVIL, others)
        expect(ended(await restore(world.good.id))).toBe('complete')
        expect(await state()).toBe(before)
      },
      10 * MINUTES,
    )

    test(
      'chosen paths of it are harmless',
      async () => {
        const { one } = world
        const [before, others] = [await state(), await othersOf(one.host)]
        const { id } = await world.plant('everything')
        const paths = [
          ...['file-0.txt', 'file-1000.txt', 'file-1001.txt', 'folder-1000', 'passwd.txt', 'root'],
          ...['suid-root', 'suid-victim', 'sgid-folder', 'marked', 'one', 'd'.repeat(40), '{}'],
        ]

        expect(ended(await restore(id, { files: true, database: false, paths }))).toBe('complete')
        await expectHarmless(one, EVIL, others)
        await one.completed('backup.undo', { domain: EVIL.domain })
        expect(await state()).toBe(before)
        const pipe = { files: true, database: false, paths: ['pipe.php'] }
        expect(ended(await restore(id, pipe))).toBe('The backup does not have pipe.php')
        expect(await state()).toBe(before)
      },
      10 * MINUTES,
    )

    test.each(REFUSED)(
      'a public folder that is %s is refused everywhere, and nothing changes',
      async (variant) => {
        const { one, two } = world
        const { id } = await world.plant(variant)
        world.share()
        const before = [await state(), await othersOf(one.host), await othersOf(two.host)]
        const from = { kind: 'backup', ...world.source(id) }

        const answers = [
          await restore(id),
          await world.clone(one, from),
          await world.clone(two, from),
          await two.run('site.receive', { ...EVIL, php: world.php, from, peers: ['10.77.0.1'] }),
        ]

        const why = 'public is not a folder in these files'
        expect(answers.map(ended)).toEqual([why, why, why, why])
        const proof = await one.completed('backup.prove', {
          domain: EVIL.domain,
          ...world.source(id),
        })
        expect(proof.proof).toMatchObject({ proven: false })
        const after = [await state(), await othersOf(one.host), await othersOf(two.host)]
        expect(after).toEqual(before)
        for (const { host } of [one, two]) {
          expect(await host.must(['ls', '-A', '/srv/www'])).not.toMatch(/copy1a2b3c|proof-/)
        }
      },
      10 * MINUTES,
    )

    test(
      'a device is refused, and pipes as index.php and wp-config.php are left out',
      async () => {
        const { one } = world
        const [before, others] = [await state(), await othersOf(one.host)]
        const device = await world.plant('a device')

        expect((await restore(device.id)).event).toBe('error')
        expect(await state()).toBe(before)
        const pipes = await world.plant('pipes as index.php and wp-config.php')
        expect(ended(await restore(pipes.id))).toBe('complete')
        await expectHarmless(one, EVIL, others)
        expect(ended(await restore(world.good.id))).toBe('complete')
        expect(await state()).toBe(before)
      },
      10 * MINUTES,
    )

    hostileCopies(() => world)
  })
}
