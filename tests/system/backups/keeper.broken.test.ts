// tier: full
import { expect, test } from 'bun:test'
import { besideRest, describeKeeper, STORE } from '#tests/support/storage/keeper-world.ts'
import { AgentClock } from '#tests/support/system/set-clock.ts'

const MINUTES = 60_000
const DAY = 24 * 60 * MINUTES
const CLOCKED = { source: 'tests/support/system/clocked-keeper.ts', config: { max_unused: '0%' } }
interface Saved {
  id: string
  files: string
}

const CLEAN = { status: 'ok', problems: [], forgotten: [] as string[] }

describeKeeper('the keeper of a storage that loses data', besideRest, CLOCKED, (world) => {
  /** A repository whose backups, so many days ago, have 3 MB each. */
  const filled = async (name: string, days: readonly number[]) => {
    const { client, started } = world()
    const history = await started(name)
    const backups: Saved[] = []
    for (const ago of days) {
      await client.must(['install', '-d', '/root/site'])
      await client.must(['dd', 'if=/dev/urandom', 'of=/root/site/large', 'bs=1M', 'count=3'])
      backups.push(await history.save(ago))
    }
    await world().place.own()
    return { history, backups }
  }
  const bytes = async (name: string) => {
    const found = ['find', `${STORE}/${name}/data`, '-type', 'f', '-printf', '%s\\n']
    const sizes = await world().place.machine.must(found)
    return sizes.split('\n').reduce((sum, size) => sum + Number(size), 0)
  }
  /** Not the exit status, which is that of all repositories. */
  const ownOf = async (name: string) => {
    const { code: _, ...own } = await world().outcomeOf(name)
    return own
  }
  const codes = async (name: string) =>
    (await world().report())?.problems
      .filter(({ repository }) => repository === name)
      .map(({ code }) => code)
      .sort()

  test('keeps the rest of a backup that has lost its files, and all data for two weeks', async () => {
    const { place } = world()
    const { machine } = place
    const clock = new AgentClock(machine)
    const { history, backups } = await filled('shop', [50, 20, 1])
    const [old, broken, last] = backups as [Saved, Saved, Saved]
    expect(await ownOf('shop')).toEqual({ ...CLEAN, backups: 3 })
    const stored = await bytes('shop')
    await machine.must(['mv', `${STORE}/shop/snapshots/${broken.files}`, '/srv/lost'])
    const lost = `The storage has lost a part of the backup ${broken.id.slice(0, 8)} of `
    const troubled = {
      ...CLEAN,
      status: 'problem',
      problems: [expect.stringContaining(lost)],
    }

    await clock.change(11 * DAY)
    const forgotten = [old.id, old.files].sort()
    expect(await ownOf('shop')).toEqual({ ...troubled, backups: 1, forgotten })
    await clock.change(24 * DAY)
    expect(await ownOf('shop')).toEqual({ ...troubled, backups: 1 })

    expect([await codes('shop'), await bytes('shop')]).toEqual([['damaged'], stored])
    await history.run('check', '--read-data', '--quiet', '--no-lock')
    await machine.must(['cp', '-a', '/srv/lost', `${STORE}/shop/snapshots/${broken.files}`])
    expect(await ownOf('shop')).toEqual({ ...CLEAN, backups: 2 })
    await history.run('restore', broken.files, '--target', '/root/back', '--no-lock')
    expect(await bytes('shop')).toBeLessThan(stored - 2 ** 21)
    await machine.must(['rm', `${STORE}/shop/snapshots/${broken.files}`])
    await clock.change(25 * DAY)
    expect(await ownOf('shop')).toEqual({ ...troubled, backups: 1 })
    const left = [broken.id, last.id, last.files].sort()
    expect(await history.snapshots()).toEqual(left)
    await history.run('check', '--read-data', '--quiet', '--no-lock')
  })

  test('takes a damaged snapshot out, and reports the backup that it was a part of', async () => {
    const { place } = world()
    const { machine } = place
    const { history, backups } = await filled('blog', [9, 8, 1])
    expect(await ownOf('blog')).toEqual({ ...CLEAN, backups: 3 })
    const [, broken] = backups as [Saved, Saved, Saved]
    const file = `${STORE}/blog/snapshots/${broken.files}`
    await machine.must(['dd', 'if=/dev/zero', `of=${file}`, 'bs=1', 'count=9', 'conv=notrunc'])
    await machine.must(['touch', '-d', '40 days ago', file])
    const garbage = `Removed garbage: snapshots/${broken.files}`
    const lost = expect.stringContaining('The storage has lost a part of the backup')

    expect(await ownOf('blog')).toMatchObject({
      backups: 2,
      forgotten: [],
      problems: [garbage, lost],
    })
    expect(await codes('blog')).toEqual(['damaged', 'garbage'])
    const kept = backups.flatMap(({ id, files }) => [id, files])
    expect(await history.snapshots()).toEqual(kept.filter((id) => id !== broken.files).sort())
    await history.run('check', '--read-data', '--quiet', '--no-lock')
  })

  test('forgets nothing that a manifest may name which it cannot read', async () => {
    const { place } = world()
    const { machine } = place
    const { history, backups } = await filled('news', [9, 5])
    // Those of the manifest are the last ones.
    const found = ['find', `${STORE}/news/data`, '-type', 'f', '-printf', '%T@ %p\\n']
    const packs = (await machine.must(found)).trim().split('\n').sort().slice(-2)
    for (const line of packs) {
      const pack = line.slice(line.indexOf(' ') + 1)
      await machine.must(['dd', 'if=/dev/zero', `of=${pack}`, 'bs=1', 'count=9', 'conv=notrunc'])
    }

    expect(await ownOf('news')).toEqual({
      ...{ status: 'problem', backups: 1, forgotten: [] },
      problems: [
        `The manifest ${backups[1]?.id.slice(0, 8)} cannot be read: what may belong to it is kept`,
        expect.stringContaining('Damaged data in 2 packs'),
      ],
    })
    expect(await codes('news')).toEqual(['damaged', 'unreadable'])
    const kept = backups.flatMap(({ id, files }) => [id, files]).sort()
    expect(await history.snapshots()).toEqual(kept)
  })

  test('removes nothing when the list of snapshots cannot be read, and keeps what it cannot read', async () => {
    const { client, place } = world()
    const { machine } = place
    const { history, backups } = await filled('docs', [90, 80, 1])
    const [old, second, last] = backups as [Saved, Saved, Saved]
    const kept = backups.flatMap(({ id, files }) => [id, files]).sort()
    const hide = (path: string) => machine.must(['chmod', '000', `${STORE}/docs/${path}`])
    const show = (path: string) => machine.must(['chmod', '700', `${STORE}/docs/${path}`])

    await hide('snapshots')
    const denied = expect.stringContaining('permission denied')
    expect(await ownOf('docs')).toMatchObject({ status: 'failed', problems: [denied] })
    expect(await codes('docs')).toEqual(['failed'])
    await show('snapshots')
    expect(await history.snapshots()).toEqual(kept)
    await hide(`snapshots/${last.files}`)
    const unread = `The snapshot ${last.files.slice(0, 8)} cannot be read: what may belong to it is kept`
    expect(await ownOf('docs')).toMatchObject({ status: 'failed', problems: [unread, denied] })
    expect(await codes('docs')).toEqual(['failed', 'unreadable'])
    await show(`snapshots/${last.files}`)

    const stay = kept.filter((id) => id !== old.id && id !== old.files)
    expect(await history.snapshots()).toEqual(stay)
    await history.run('check', '--read-data', '--quiet', '--no-lock')
    await history.run('restore', last.files, '--target', '/root/last', '--no-lock')
    await client.must(['diff', '-r', '/root/site', '/root/last/root/site'])
    expect(await ownOf('docs')).toEqual({
      ...CLEAN,
      backups: 1,
      forgotten: [second.id, second.files].sort(),
    })
  })
})
