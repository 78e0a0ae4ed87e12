import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as lab from '#tests/support/lab/index.ts'
import { unless } from '#tests/support/skip.ts'
import { buildKeeper, historyIn, installKeeper } from '#tests/support/storage/history.ts'
import {
  ended,
  endOfRestart,
  installUnits,
  killAt,
  stopped,
} from '#tests/support/storage/killed-keeper.ts'
import { quickenKeys } from '#tests/support/storage/quick-keys.ts'
import { startRestServer } from '#tests/support/storage/rest.ts'
import { installRestic, putRestic } from '#tests/support/storage/restic.ts'

const MINUTES = 60_000
const MB = 2 ** 20
const KEEP = { all_days: 7, daily_days: 60 }
/** The account of the storage: not root. */
const OWNER = '1500'
const STORE = '/srv/rest/agency'
const FILL = 'for n in $(seq 60); do head -c 1M /dev/urandom > "/root/site/$n"; done'
const HALVE = 'for n in $(seq 1 2 60); do rm "/root/site/$n"; done'

unless(lab.available()).describe('a keeper that is killed while it removes data', () => {
  let folder: string
  let client: lab.Host
  let rest: Awaited<ReturnType<typeof startRestServer>>
  let keeper: Awaited<ReturnType<typeof installKeeper>>

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'keeper-'))
    const program = join(folder, 'hosting-agent')
    await buildKeeper(program)
    client = await lab.startHost({ name: 'client', suite: 'bookworm', init: 'systemd' })
    await installRestic(client)
    rest = await startRestServer({ users: ['agency'] })
    await putRestic(rest.host, '/var/lib/hosting-keeper')
    keeper = await installKeeper(rest.host, program, {
      ...{ stores: [{ kind: 'folder', path: STORE }], keep: KEEP, check_parts: 1 },
      max_unused: '0%',
    })
    await installUnits(rest.host, STORE)
  }, 10 * MINUTES)
  afterAll(async () => {
    await rm(folder, { recursive: true })
    await lab.switchDown()
  }, MINUTES)

  test(
    'loses nothing, and the next run removes its lock and ends its work',
    async () => {
      const { host } = rest
      const shop = `${STORE}/shop`
      const history = historyIn(client, rest.target('agency'), 'shop')
      await history.start(keeper.key)
      await quickenKeys(`${host.root}${shop}`, 'password')
      await client.must(['install', '-d', '/root/site'])
      await client.must(['bash', '-c', FILL])
      const old = await history.save(200)
      await client.must(['bash', '-c', HALVE])
      const stay = [await history.save(20), await history.save(1)]
      const yesterday = stay[1]?.files
      await host.must(['chown', '-R', `${OWNER}:${OWNER}`, STORE])
      const kept = stay.flatMap(({ id, files }) => [id, files]).sort()
      // A killed restic leaves a draft of a pack, which no restic reads.
      const packs = ['find', `${shop}/data`, '-type', 'f', '-not', '-name', '*-tmp-*', '-printf']
      const bytes = async () => {
        const sizes = await host.must([...packs, '%s\\n'])
        return sizes.split('\n').reduce((sum, size) => sum + Number(size), 0)
      }
      const isWhole = async () => {
        await history.run('check', '--read-data', '--quiet', '--no-lock')
        await client.must(['rm', '-rf', '/root/back'])
        const restore = [
          'restore',
          `${yesterday}:/root/site`,
          '--target',
          '/root/back',
          '--no-lock',
        ]
        await history.run(...restore, '--quiet')
        await client.must(['diff', '--recursive', '/root/site', '/root/back'])
        expect(await history.snapshots()).toEqual(kept)
      }
      expect(await history.snapshots()).toEqual([...kept, old.id, old.files].sort())
      expect(await bytes()).toBeGreaterThan(60 * MB)

      expect(await killAt(host, shop, 'locked')).toBe(true)
      expect(await stopped(host)).toBe('signal')
      await isWhole()
      const blocked = history.run('backup', '/root/site', '--retry-lock=1s')
      expect(await blocked.catch(String)).toContain('already locked exclusively')
      expect(await killAt(host, shop, 'repacking')).toBe(true)
      expect(await stopped(host)).toBe('signal')
      await isWhole()
      // Between the new index and the end are some milliseconds.
      const isKilled = await killAt(host, shop, 'indexed')

      expect(await (isKilled ? endOfRestart(host) : ended(host))).toBe('success')
      await isWhole()
      expect(await host.must(['ls', `${shop}/locks`])).toBe('')
      expect(await bytes()).toBeLessThan(31 * MB)
      const { id, files } = await history.save(0)
      await host.must(['chown', '-R', `${OWNER}:${OWNER}`, STORE])
      const { code, report } = await keeper.run()
      expect([code, report[0].forgotten]).toEqual([0, []])
      expect(await history.snapshots()).toEqual([...kept, id, files].sort())
    },
    5 * MINUTES,
  )
})
