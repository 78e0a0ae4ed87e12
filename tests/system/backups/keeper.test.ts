// tier: gate
import { expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { documentedUnits } from '#tests/support/storage/history.ts'
import { besideRest, describeKeeper, OWNER, STORE } from '#tests/support/storage/keeper-world.ts'
import { attempts } from '#tests/support/storage/rest.ts'

/** A file that restic lists before all others of its kind, and cannot read. */
const garbage = (kind: string) => {
  for (let round = 0; ; round++) {
    const text = `garbage in ${kind}, ${round}`
    const name = createHash('sha256').update(text).digest('hex')
    if (name.startsWith('000')) return { kind, text, name }
  }
}

describeKeeper('the keeper of a REST server', besideRest, {}, (world) => {
  test('forgets old backups but the proven one, and leaves the storage to its owner', async () => {
    const { keeper, outcomeOf, place, report, started } = world()
    const { machine } = place
    const history = await started('shop')
    const proven = await history.save(200)
    const proof = await history.prove(proven.id, 199)
    const [old, first, second, last_week, yesterday] = [
      await history.save(100),
      await history.save(40),
      await history.save(39.9),
      await history.save(8.5),
      await history.save(1),
    ]
    const cut_off = await history.files(3)
    const running = await history.files(0)
    await place.own()
    const dry = await keeper.run('--dry-run')

    const forgotten = [old, second].flatMap(({ id, files }) => [id, files])
    const all = [...forgotten, cut_off].sort()
    expect([...dry.report[0].forgotten].sort()).toEqual(all)
    expect(await outcomeOf('shop')).toEqual({
      ...{ code: 0, status: 'ok', backups: 4, problems: [], forgotten: all },
    })

    const stay = [proven, first, last_week, yesterday]
    const left = stay.flatMap(({ id, files }) => [id, files])
    expect(await history.snapshots()).toEqual([...left, proof, running].sort())
    const others = ['find', `${STORE}/shop`, '-not', '-uid', OWNER]
    expect(await machine.must(others)).toBe('')
    await history.run('check', '--read-data', '--quiet')
    await history.save(0)
    await place.own()
    for (const [name, text] of await documentedUnits(STORE)) {
      await machine.put(`/etc/systemd/system/${name}`, text)
    }
    const timer = '/etc/systemd/system/hosting-keeper.timer'
    await machine.must(['systemd-analyze', 'verify', timer])
    await machine.must(['systemctl', 'start', 'hosting-keeper.service'])
    const logged = ['journalctl', '--unit', 'hosting-keeper', '--output', 'cat', '--no-pager']
    expect(await machine.must(logged)).toContain('{"repositories":1,"problems":0}')
    expect(await report()).toMatchObject({ troubled: 0, names: ['shop'] })
  })

  test('forgets nothing of yesterday for a server that forges dates, keys, locks and snapshots', async () => {
    const { outcomeOf, place, started } = world()
    const { machine } = place
    const history = await started('blog')
    const old = await history.save(80)
    for (const days of [20, 8.5, 1]) await history.save(days)
    await place.own()
    expect((await outcomeOf('blog')).forgotten).toEqual([old.id, old.files].sort())
    const kept = await history.snapshots()

    for (const days of [-3000, -1, 0, 19.9, 3000]) await history.save(days)
    const written = ['keys', 'snapshots', 'locks'].map(garbage)
    for (const { kind, text, name } of written) {
      await machine.put(`${STORE}/blog/${kind}/${name}`, text, 0o600)
    }
    await place.own()

    const [keys, snapshots] = written.map(({ kind, name }) => `${kind}/${name}`)
    const stopped = await history.run('snapshots', '--no-lock').catch(String)
    expect(stopped).toContain('Unmarshal')
    expect(await outcomeOf('blog')).toEqual({
      ...{ code: 1, status: 'problem', backups: 8, forgotten: [] },
      problems: [`Removed garbage: ${snapshots}`, `Removed garbage: ${keys}`],
    })
    const locks = [`${STORE}/blog/locks`, '-type', 'f']
    const earlier = ['-exec', 'touch', '-d', '2 hours ago', '{}', '+']
    await machine.must(['find', ...locks, ...earlier])
    expect(await outcomeOf('blog')).toMatchObject({ code: 0, status: 'ok', problems: [] })
    expect(await machine.must(['find', ...locks])).toBe('')
    expect(await history.snapshots()).toEqual(expect.arrayContaining(kept))
  })

  test('refuses every deletion and change to somebody with the password and the credentials', async () => {
    const { client, place, started } = world()
    const { machine } = place
    const history = await started('stolen')
    const yesterday = await history.save(1)
    const before = await history.snapshots()
    expect(before).toEqual([yesterday.id, yesterday.files].sort())
    const named = ['-type', 'f', '-not', '-path', '*/locks/*', '-printf', '%P\\n']
    const files = (await machine.must(['find', `${STORE}/stolen`, ...named])).trim().split('\n')

    for (const args of [
      ['forget', '--unsafe-allow-remove-all', '--keep-last', '1', '--prune'],
      ['forget', ...before],
      ['key', 'remove', (files.find((file) => file.startsWith('keys/')) ?? '').slice(5)],
    ]) {
      await history.run(...args, '--retry-lock=1s').catch(String)
    }
    const answers = await attempts(client, place.target, 'stolen', files)

    expect(answers).toEqual(['DELETE 403', 'POST 403'])
    expect(await history.snapshots()).toEqual(before)
    await history.run('check', '--read-data', '--quiet', '--no-lock')
  })

  test('reports damaged data, a repository without its key, and continues with the next one', async () => {
    const { historyOf, keeper, place, started } = world()
    const { machine } = place
    const history = await started('damaged')
    await history.save(1)
    const packs = ['find', `${STORE}/damaged/data`, '-type', 'f']
    const [pack = ''] = (await machine.must(packs)).trim().split('\n')
    await machine.must(['dd', 'if=/dev/zero', `of=${pack}`, 'bs=1', 'count=9', 'conv=notrunc'])
    const healthy = await started('healthy')
    await healthy.save(1)
    const stranger = historyOf('stranger')
    await stranger.run('init', '--quiet')
    await place.own()

    const { report } = await keeper.run()

    const byName = Object.fromEntries(
      report.map(({ repository, status, problems }) => [repository, [status, problems]]),
    )
    expect(byName.stranger).toEqual([
      'problem',
      [expect.stringContaining('No key for this keeper')],
    ])
    const [status, problems] = byName.damaged ?? []
    expect(status).toBe('problem')
    expect(problems).toContainEqual(expect.stringContaining('Damaged data in 1'))
    expect(byName.healthy).toEqual(['ok', []])
  })
})
