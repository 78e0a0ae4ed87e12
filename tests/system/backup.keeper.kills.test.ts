import { expect, test } from 'bun:test'
import { fading } from '#tests/support/storage/fading.ts'
import { besideRest, describeKeeper, STORE } from '#tests/support/storage/keeper-world.ts'
import {
  endOfRestart,
  installUnits,
  killAt,
  killBeforeDeletion,
  stopped,
} from '#tests/support/storage/killed-keeper.ts'

const MINUTES = 60_000
const MB = 2 ** 20
const CONFIG = { config: { max_unused: '0%' } }

describeKeeper('a keeper that is killed while it removes data', besideRest, CONFIG, (world) => {
  test(
    'loses nothing, and the next run removes its lock and ends its work',
    async () => {
      const { keeper, place } = world()
      const { machine: host } = place
      await installUnits(host, STORE)
      const shop = `${STORE}/shop`
      const { history, gone, kept, expectWhole } = await fading(world(), 'shop', 60)
      await place.own()
      // A killed restic leaves a draft of a pack, which no restic reads.
      const packs = ['find', `${shop}/data`, '-type', 'f', '-not', '-name', '*-tmp-*', '-printf']
      const bytes = async () => {
        const sizes = await host.must([...packs, '%s\\n'])
        return sizes.split('\n').reduce((sum, size) => sum + Number(size), 0)
      }
      const expectKept = async () => {
        await expectWhole()
        expect(await history.snapshots()).toEqual(kept)
      }
      expect(await history.snapshots()).toEqual([...kept, ...gone].sort())
      expect(await bytes()).toBeGreaterThan(60 * MB)

      await killAt(host, shop, 'locked')
      expect(await stopped(host)).toBe('signal')
      await expectKept()
      const blocked = history.run('backup', '/root/site', '--retry-lock=1s')
      expect(await blocked.catch(String)).toContain('already locked exclusively')
      await killAt(host, shop, 'repacking')
      expect(await stopped(host)).toBe('signal')
      await expectKept()
      await killBeforeDeletion(host, shop)

      expect(await endOfRestart(host)).toBe('success')
      await expectKept()
      expect(await host.must(['ls', `${shop}/locks`])).toBe('')
      expect(await bytes()).toBeLessThan(31 * MB)
      const { id, files } = await history.save(0)
      await place.own()
      const { code, report } = await keeper.run()
      expect([code, report[0].forgotten]).toEqual([0, []])
      expect(await history.snapshots()).toEqual([...kept, id, files].sort())
    },
    5 * MINUTES,
  )
})
