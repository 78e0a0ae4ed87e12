import { expect, test } from 'bun:test'
import { excludesOf } from '#dashboard/db/exclusion.ts'
import { OPERATION_NAMES } from '#shared/operation-types/index.ts'
import { addSite, fleet } from '#tests/support/dashboard/backup-fleet.ts'

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
