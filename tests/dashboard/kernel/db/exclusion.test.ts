import { Database as Sqlite } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { openDatabase } from '#dashboard/kernel/db/client.ts'
import { excludesOf, exclusiveWith } from '#dashboard/kernel/db/exclusion.ts'
import { EXCLUSIONS } from '#shared/kernel/values.ts'
import { OPERATION_NAMES, OPERATION_TYPES, type OperationType } from '#shared/operation-types.ts'
import { addSite, fleet } from '#tests/support/dashboard/backup-fleet.ts'
import { makeFolder } from '#tests/support/dashboard/records.ts'

const TLS = { tls: 'self-signed' }

/** A site whose operations of these types run until `release`. */
async function siteWith(...held: string[]) {
  const all = await fleet()
  const { dashboard, agent, server_id } = all
  const { promise, resolve: release } = Promise.withResolvers<void>()
  for (const type of held)
    agent.works.set(type, async function* () {
      yield 'Working'
      await promise
      throw new Error('released')
    })
  const id = await addSite(dashboard, server_id)
  const at = `/api/servers/${server_id}/sites/${id}`
  const status = async (path: string, body: object = {}) => {
    const response = await dashboard.send('POST', `${at}${path}`, body)
    void response.body?.cancel()
    return response.status
  }
  const end = async () => {
    release()
    await all[Symbol.asyncDispose]()
  }
  return { dashboard, at, status, [Symbol.asyncDispose]: end }
}

test('an operation on a site excludes all others on it, except these', () => {
  const { same_site: _, ...others } = Object.groupBy(OPERATION_NAMES.toSorted(), excludesOf)

  expect(others).toEqual({
    all_of_server: ['agent.upgrade'],
    changes_of_site: ['backup.create'],
    // They change neither its files nor its database.
    same_site_except_backup: [
      ...(['cache.purge', 'database.user', 'pool.apply', 'site.move', 'site.move-back'] as const),
      ...(['site.scan', 'tls.issue', 'wp.cache-flush', 'wp.login'] as const),
    ],
    same_type: ['backup.check', 'backup.prove', 'isolation.check', 'server.sync'],
    nothing: [
      ...(['database.user-end', 'server.provision', 'server.update', 'service.restart'] as const),
      'updates.configure',
    ],
  })
})

test('a backup leaves a site free for what changes neither its files nor its database', async () => {
  await using site = await siteWith('backup.create', 'tls.issue')
  expect(await site.status('/backups')).toBe(200)

  expect(await site.status('/tls', TLS)).toBe(200)

  expect(await site.status('/tls', TLS)).toBe(409)
  expect(await site.status('/backups')).toBe(409)
  expect((await site.dashboard.send('DELETE', site.at)).status).toBe(409)
})

test('a backup starts beside such an operation, and not beside others', async () => {
  await using quiet = await siteWith('backup.create', 'tls.issue')
  expect(await quiet.status('/tls', TLS)).toBe(200)
  expect(await quiet.status('/backups')).toBe(200)

  await using other = await siteWith('site.delete')
  await other.dashboard.send('DELETE', other.at)
  expect(await other.status('/backups')).toBe(409)
})

const OF_SITES = OPERATION_NAMES.filter((type) => OPERATION_TYPES[type].target === 'site')

/** One or two types for each exclusion. */
const SOME = EXCLUSIONS.flatMap((exclusion) =>
  OF_SITES.filter((type) => excludesOf(type) === exclusion).slice(0, 2),
)

const SITE = 1

/** Whether the site may have the second operation beside the first, by the indexes and by the query. */
async function pairs(backup_first: 'waits' | null) {
  await using folder = await makeFolder()
  const file = `${folder.path}/dashboard.db`
  const migrated = await openDatabase(`file:${file}`)
  migrated.close()
  using database = new Sqlite(file)
  database.run('PRAGMA foreign_keys = OFF')
  const insert = (id: string, type: OperationType, waits: 'waits' | null) =>
    database.run(
      `INSERT INTO operations (id, type, server_id, site_id, domain, params, status, excludes, backup_first, deadline_at, created_at)
       VALUES (?, ?, 1, ?, 'a', '{}', 'running', ?, ?, '', '')`,
      [id, type, SITE, excludesOf(type), waits],
    )
  const isStored = (type: OperationType) => {
    try {
      insert('second', type, null)
      return true
    } catch {
      return false
    }
  }
  const firsts = SOME.filter((type) => backup_first === null || excludesOf(type) === 'same_site')
  return firsts.flatMap((first) =>
    SOME.map((second) => {
      database.run('DELETE FROM operations')
      insert('first', first, backup_first)
      const held = database
        .query(`SELECT 1 FROM operations WHERE site_id = ${SITE} AND ${exclusiveWith(second)}`)
        .get()
      return { first, second, stored: isStored(second), free: held === null }
    }),
  )
}

test.each([null, 'waits' as const])(
  'the indexes refuse exactly the operations that a query finds excluded (%p)',
  async (backup_first) => {
    const found = await pairs(backup_first)

    expect(found.filter(({ stored, free }) => stored !== free)).toEqual([])
    expect(found.length).toBeGreaterThan(10)
  },
)

test('a backup runs beside what says so, a proof beside all but a proof', async () => {
  const found = await pairs(null)
  const beside = (type: OperationType) =>
    found.flatMap(({ first, second, stored }) => (first === type && stored ? [second] : []))

  expect([...new Set(beside('backup.create').map(excludesOf))]).toEqual([
    'same_site_except_backup',
    'same_type',
    'nothing',
  ])
  expect(beside('backup.prove')).toEqual(SOME.filter((type) => type !== 'backup.prove'))
})
