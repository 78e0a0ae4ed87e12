// tier: full, interrupts
import { expect, test } from 'bun:test'
import { poll } from '#tests/support/lab/index.ts'
import { fading } from '#tests/support/storage/fading.ts'
import { besideRest, describeKeeper, STORE } from '#tests/support/storage/keeper-world.ts'
import {
  installUnits,
  killAt,
  killBeforeDeletion,
  stopped,
} from '#tests/support/storage/killed-keeper.ts'
import { onDisk, shrink } from '#tests/support/system/backup-faults/disk.ts'

const MB = 2 ** 20
const DONE = { code: 0, status: 'ok', backups: 2, problems: [] }
const CONFIG = { config: { max_unused: '0%' } }

describeKeeper('an interrupted keeper', besideRest, CONFIG, (world) => {
  /**
   * Returns the bytes of all complete packs: an interrupted upload leaves drafts, which restic
   * never reads.
   */
  const bytes = async (name: string) => {
    const packs = ['-regextype', 'posix-extended', '-regex', '.*/[0-9a-f]{64}']
    const sizes = await world().place.machine.must([
      'find',
      `${STORE}/${name}/data`,
      ...packs,
      '-printf',
      '%s\\n',
    ])
    return sizes.split('\n').reduce((sum, size) => sum + Number(size), 0)
  }

  test('loses nothing when it is killed, and the next run removes its lock and ends its work', async () => {
    const { keeper, place } = world()
    const { machine: host } = place
    await installUnits(host, STORE)
    const shop = `${STORE}/shop`
    const { history, gone, kept, lost } = await fading(world(), 'shop', 60)
    await place.own()
    const expectKept = async () => {
      expect(await lost()).toEqual([])
      expect(await history.snapshots()).toEqual(kept)
    }
    expect(await history.snapshots()).toEqual([...kept, ...gone].sort())
    expect(await bytes('shop')).toBeGreaterThan(60 * MB)

    await killAt(host, shop, 'locked')
    expect(await stopped(host)).toBe('signal')
    await expectKept()
    const blocked = history.run('backup', '/root/site', '--retry-lock=1s')
    expect(await blocked.catch(String)).toContain('already locked exclusively')
    await killAt(host, shop, 'repacking')
    expect(await stopped(host)).toBe('signal')
    await expectKept()

    expect(await killBeforeDeletion(host, shop)).toBe('success')
    await expectKept()
    expect(await host.must(['ls', `${shop}/locks`])).toBe('')
    expect(await bytes('shop')).toBeLessThan(31 * MB)
    const { id, files } = await history.save(0)
    await place.own()
    const { code, report } = await keeper.run()
    expect([code, report[0].forgotten]).toEqual([0, []])
    expect(await history.snapshots()).toEqual([...kept, id, files].sort())
  })

  test('removes what it can while the disk of the storage is full, and the rest in the next run', async () => {
    const { client, outcomeOf, place, report } = world()
    const { machine } = place
    const full = await fading(world(), 'full', 20)
    await client.must(['bash', '-ec', 'head -c 40M /dev/urandom > /root/site/large'])
    const large = await full.history.save(150)
    await place.own()
    const stored = await bytes('full')
    const restore = await onDisk(machine, STORE)

    await shrink(machine, STORE, 0)
    expect(await outcomeOf('full')).toEqual({
      ...{ code: 1, status: 'failed', backups: undefined, forgotten: [] },
      problems: [expect.stringContaining('no space left on device')],
    })
    expect(await bytes('full')).toBe(stored)
    expect(await full.lost()).toEqual([])
    // Enough for a lock and an index.
    await shrink(machine, STORE, 512)
    expect(await outcomeOf('full')).toEqual({
      ...{ code: 1, status: 'problem', backups: 2 },
      problems: [
        expect.stringMatching(/^The storage had no space left: .* the next run continues/),
      ],
      forgotten: [...full.gone, large.id, large.files].sort(),
    })
    const { problems } = (await report()) ?? {}
    expect(problems).toMatchObject([{ repository: 'full', code: 'failed' }])
    expect(await bytes('full')).toBeLessThan(22 * MB)
    expect(await full.lost()).toEqual([])
    await shrink(machine, STORE, 14 * 1024)
    expect(await outcomeOf('full')).toEqual({ ...DONE, forgotten: [] })

    expect(await bytes('full')).toBeLessThan(11 * MB)
    expect(await full.lost()).toEqual([])
    expect(await full.history.snapshots()).toEqual(full.kept)
    expect(await machine.must(['ls', `${STORE}/full/locks`])).toBe('')
    await restore()
  })

  test('needs no network, and removes what a server that was cut off has left', async () => {
    const { client, outcomeOf, place } = world()
    const { machine } = place
    const { history, gone, kept, lost } = await fading(world(), 'cut', 12)
    await client.must(['bash', '-ec', 'head -c 40M /dev/urandom > /root/site/large'])
    const before = await bytes('cut')
    const saving = history.run('backup', '/root/site', '--limit-upload', '8000').catch(String)
    await poll(async () => (await bytes('cut')) > before)
    await machine.partition(true)
    await client.must(['pkill', '--signal', 'KILL', '--exact', 'restic'])
    expect(await saving).toStartWith('Error: restic backup')
    await place.own()
    const locks = ['find', `${STORE}/cut/locks`, '-type', 'f']
    await machine.must([...locks, '-exec', 'touch', '-d', '2 hours ago', '{}', '+'])

    const outcome = await outcomeOf('cut')
    await machine.partition(false)

    expect(outcome).toEqual({ ...DONE, forgotten: gone })
    expect(await machine.must(locks)).toBe('')
    expect(await bytes('cut')).toBeLessThan(before)
    expect(await lost()).toEqual([])
    expect(await history.snapshots()).toEqual(kept)
    await history.save(0)
  })
})
