import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { newestOf } from '#dashboard/site-backups/keeper/verified.ts'
import * as lab from '#tests/support/lab/index.ts'
import { unless } from '#tests/support/skip.ts'
import { garbage } from '#tests/support/storage/garbage.ts'
import {
  buildKeeper,
  documentedUnits,
  historyIn,
  installKeeper,
} from '#tests/support/storage/history.ts'
import { attempts, keysOf, startRestServer } from '#tests/support/storage/rest.ts'
import { installRestic, putRestic } from '#tests/support/storage/restic.ts'

const MINUTES = 60_000
const KEEP = { all_days: 7, daily_days: 60 }
/** The account of the storage: not root. */
const OWNER = '1500'

type Rest = Awaited<ReturnType<typeof startRestServer>>

unless(lab.available()).describe('the keeper of a REST server', () => {
  let folder: string
  let client: lab.Host
  let rest: Rest
  let keeper: Awaited<ReturnType<typeof installKeeper>>

  const store = '/srv/rest/agency'
  const historyOf = (name: string) => historyIn(client, rest.target('agency'), name)
  const own = () => rest.host.must(['chown', '-R', `${OWNER}:${OWNER}`, store])
  const outcomeOf = async (name: string) => {
    const { code, report } = await keeper.run()
    const [line] = report.filter(({ repository }) => repository === name)
    const { status, backups, problems, forgotten } = line
    return { code, status, backups, problems, forgotten: [...(forgotten ?? [])].sort() }
  }

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'keeper-'))
    const program = join(folder, 'hosting-agent')
    await buildKeeper(program)
    client = await lab.startHost({ name: 'client', suite: 'bookworm', init: 'systemd' })
    await installRestic(client)
    rest = await startRestServer({ users: ['agency'] })
    await putRestic(rest.host, '/var/lib/hosting-keeper')
    keeper = await installKeeper(rest.host, program, {
      ...{ stores: [{ kind: 'folder', path: store }], keep: KEEP, check_parts: 1 },
    })
  }, 10 * MINUTES)
  afterAll(async () => {
    await rm(folder, { recursive: true })
    await lab.switchDown()
  }, MINUTES)

  test(
    'forgets old backups but the proven one, and leaves the storage to its owner',
    async () => {
      const history = historyOf('shop')
      await history.start(keeper.key)
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
      await own()
      const dry = await keeper.run('--dry-run')

      const forgotten = [old, second].flatMap(({ id, files }) => [id, files])
      const all = [...forgotten, cut_off].sort()
      expect([...dry.report[0].forgotten].sort()).toEqual(all)
      expect(await outcomeOf('shop')).toEqual({
        ...{ code: 0, status: 'ok', backups: 6, problems: [], forgotten: all },
      })

      const stay = [proven, first, last_week, yesterday]
      const left = stay.flatMap(({ id, files }) => [id, files])
      expect(await history.snapshots()).toEqual([...left, proof, running].sort())
      const others = ['find', `${store}/shop`, '-not', '-uid', OWNER]
      expect(await rest.host.must(others)).toBe('')
      await history.run('check', '--read-data', '--quiet')
      await history.save(0)
      await own()
      for (const [name, text] of await documentedUnits(store)) {
        await rest.host.put(`/etc/systemd/system/${name}`, text)
      }
      const timer = '/etc/systemd/system/hosting-keeper.timer'
      await rest.host.must(['systemd-analyze', 'verify', timer])
      await rest.host.must(['systemctl', 'start', 'hosting-keeper.service'])
      const logged = ['journalctl', '--unit', 'hosting-keeper', '--output', 'cat', '--no-pager']
      expect(await rest.host.must(logged)).toContain('{"repositories":1,"problems":0}')
      const texts = await keysOf(client, rest.target('agency'), 'hosting-keeper')
      const newest = newestOf(keeper.key, texts, new Date())
      expect(newest).toMatchObject({ troubled: 0, names: ['shop'] })
    },
    5 * MINUTES,
  )

  test(
    'forgets nothing of yesterday for a server that forges dates, keys, locks and snapshots',
    async () => {
      const history = historyOf('blog')
      await history.start(keeper.key)
      const old = await history.save(80)
      for (const days of [20, 8.5, 1]) await history.save(days)
      await own()
      expect((await outcomeOf('blog')).forgotten).toEqual([old.id, old.files].sort())
      const kept = await history.snapshots()

      for (const days of [-3000, -1, 0, 19.9, 3000]) await history.save(days)
      const written = ['keys', 'snapshots', 'locks'].map(garbage)
      for (const { kind, text, name } of written) {
        await rest.host.put(`${store}/blog/${kind}/${name}`, text, 0o600)
      }
      await own()

      const [keys, snapshots] = written.map(({ kind, name }) => `${kind}/${name}`)
      const stopped = await history.run('snapshots', '--no-lock').catch(String)
      expect(stopped).toContain('Unmarshal')
      expect(await outcomeOf('blog')).toEqual({
        ...{ code: 1, status: 'problem', backups: 8, forgotten: [] },
        problems: [`Removed garbage: ${snapshots}`, `Removed garbage: ${keys}`],
      })
      const locks = [`${store}/blog/locks`, '-type', 'f']
      const earlier = ['-exec', 'touch', '-d', '2 hours ago', '{}', '+']
      await rest.host.must(['find', ...locks, ...earlier])
      expect(await outcomeOf('blog')).toMatchObject({ code: 0, status: 'ok', problems: [] })
      expect(await rest.host.must(['find', ...locks])).toBe('')
      expect(await history.snapshots()).toEqual(expect.arrayContaining(kept))
    },
    5 * MINUTES,
  )

  test(
    'refuses every deletion and change to somebody with the password and the credentials',
    async () => {
      const history = historyOf('stolen')
      await history.start(keeper.key)
      const yesterday = await history.save(1)
      const before = await history.snapshots()
      expect(before).toEqual([yesterday.id, yesterday.files].sort())
      const named = ['-type', 'f', '-not', '-path', '*/locks/*', '-printf', '%P\\n']
      const files = (await rest.host.must(['find', `${store}/stolen`, ...named])).trim().split('\n')

      for (const args of [
        ['forget', '--unsafe-allow-remove-all', '--keep-last', '1', '--prune'],
        ['forget', ...before],
        ['key', 'remove', (files.find((file) => file.startsWith('keys/')) ?? '').slice(5)],
      ]) {
        await history.run(...args, '--retry-lock=1s').catch(String)
      }
      const answers = await attempts(client, rest.target('agency'), 'stolen', files)

      expect(answers).toEqual(['DELETE 403', 'POST 403'])
      expect(await history.snapshots()).toEqual(before)
      await history.run('check', '--read-data', '--quiet', '--no-lock')
    },
    5 * MINUTES,
  )

  test(
    'reports damaged data, a repository without its key, and continues with the next one',
    async () => {
      const history = historyOf('damaged')
      await history.start(keeper.key)
      await history.save(1)
      const packs = ['find', `${store}/damaged/data`, '-type', 'f']
      const [pack = ''] = (await rest.host.must(packs)).trim().split('\n')
      await rest.host.must(['dd', 'if=/dev/zero', `of=${pack}`, 'bs=1', 'count=9', 'conv=notrunc'])
      const healthy = historyOf('healthy')
      await healthy.start(keeper.key)
      await healthy.save(1)
      const stranger = historyOf('stranger')
      await stranger.run('init', '--quiet')

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
    },
    5 * MINUTES,
  )
})
