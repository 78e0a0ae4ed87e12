// tier: gate
import { describe, expect, test } from 'bun:test'
import { PASSWORD, streamed } from '#tests/support/dashboard/backups.ts'
import { twoServers } from '#tests/support/dashboard/copies.ts'
import { until } from '#tests/support/dashboard/dashboard.ts'
import { events, movingServers } from '#tests/support/dashboard/moves.ts'
import { serversOf, siteAt } from '#tests/support/dashboard/repositories.ts'

const LISTING = { entries: [], is_cut: false, tables: null }
const WITH = 'with its password' as const
const parts = { files: true, database: true }

/** A site with a backup on the first of two servers, whose agents read backups. */
async function backedUp(all: Awaited<ReturnType<typeof twoServers>>) {
  const { at, user } = await siteAt(all)
  await streamed(all.dashboard, at)
  for (const { agent } of [all.one, all.two]) {
    agent.passwords.openings.length = 0
    agent.answers.set('/backups/browse', () => Response.json(LISTING))
    agent.answers.set('/backups/download', () => new Response('a part'))
    agent.answers.set('/backups/list', () => {
      const backups = [{ ...FACTS, id: '1'.repeat(64), at: '2026-01-01T00:00:00.000Z' }]
      const facts = { password: 0, domain: 'shop.example', tables: 12, excluded: [] }
      return Response.json({ ...facts, backups, next: null })
    })
  }
  const { backups } = (await all.dashboard.call('GET', at)).body
  const backup_id: number = backups[0].id
  /** Each kind of call to the server of the site. */
  const calls = [
    () => streamed(all.dashboard, at),
    () => streamed(all.dashboard, `${at}/restore`, { backup_id, parts }),
    () => streamed(all.dashboard, `${at}/prove`, { backup_id }),
    () => all.dashboard.call('GET', `${at}/${backup_id}/files`),
    () => all.dashboard.send('GET', `${at}/${backup_id}/download?part=files`),
    () => all.dashboard.call('POST', `${at}/refresh`),
  ]
  const names = [
    ...['backup.create', 'backup.restore', 'backup.prove'],
    ...['/backups/browse', '/backups/download', '/backups/list'],
  ]
  const copy = async (server_id: number) => {
    const from = { kind: 'backup', backup_id }
    const { body } = await all.clone(server_id, { domain: 'copy.example', php: '8.2', from })
    await until(async () => (await all.site(body.site.id)).status === 'active')
  }
  return { at, user, backup_id, calls, names, copy }
}

const FACTS = { files: 10, bytes: 2000, stored: 300, seconds: 2 }

describe('the password of a repository', () => {
  test('is in no call to the server that backs the site up', async () => {
    await using all = await twoServers()
    const { user, calls, names, copy } = await backedUp(all)

    for (const call of calls) await call()
    await copy(all.first)

    const { openings } = all.one.agent.passwords
    expect(openings).toEqual([...names, 'site.clone'].map((name) => [name, user]))
    expect(await serversOf(all)).toEqual([[user, all.first]])
  })

  test('is in the second call to a server that does not have it, and not in the first', async () => {
    await using all = await twoServers()
    const { user, calls, names, copy } = await backedUp(all)
    const { kept, openings } = all.one.agent.passwords

    for (const call of calls) {
      kept.clear()
      await call()
    }
    await copy(all.second)

    expect(openings).toEqual(
      names.flatMap((name) => [
        [name, user],
        [name, user, WITH],
      ]),
    )
    expect(all.two.agent.passwords.openings).toEqual([
      ['site.clone', user],
      ['site.clone', user, WITH],
    ])
    expect(all.two.given.map((each) => Object(each['site.clone']).from.password)).toEqual([
      PASSWORD,
    ])
    expect(await serversOf(all)).toEqual([
      [user, all.first],
      [user, all.second],
    ])
  })

  test('is sent once to a server that says each time that it does not have it', async () => {
    await using all = await twoServers()
    const { user, calls, names } = await backedUp(all)
    const refuse = () =>
      Response.json(
        { error: 'Conflict', message: 'None', code: 'password_missing' },
        { status: 409 },
      )
    all.one.agent.passwords.kept.clear()
    for (const path of ['/backups/browse', '/backups/download', '/backups/list'])
      all.one.agent.answers.set(path, refuse)
    const asked: unknown[] = []
    all.one.agent.answers.set('/exec', async (request) => {
      const { command, params } = await request.json()
      asked.push([command, params.repository, ...(params.password ? [WITH] : [])])
      return refuse()
    })

    for (const call of calls) await call()

    expect([...asked, ...all.one.agent.passwords.openings]).toEqual(
      names.flatMap((name) => [
        [name, user],
        [name, user, WITH],
      ]),
    )
  })

  test('reaches the new server of a site that moves, and stays away from the one it leaves', async () => {
    await using all = await movingServers()
    const { user } = await siteAt(all)

    expect(await events(all, 'move', { server_id: all.second })).toContain('event: complete')

    expect(all.one.agent.passwords.openings).toEqual([
      ['site.gather', user],
      ['site.gather', user],
    ])
    expect(all.two.agent.passwords.openings).toEqual(
      ['site.receive', 'site.catch-up', 'site.catch-up'].flatMap((name) => [
        [name, user],
        [name, user, WITH],
      ]),
    )
  })

  test('is not sent for a plan, nor to an agent that asks for it in the answer to another call', async () => {
    await using all = await twoServers()
    const { at, backup_id } = await backedUp(all)
    const { agent } = all.one
    const bodies: string[] = []
    const missing = { error: 'Conflict', message: 'shop.example', code: 'password_missing' }
    for (const path of ['/exec', '/sites/wp-scan'])
      agent.answers.set(path, async (request) => {
        bodies.push(await request.text())
        return Response.json(missing, { status: 409 })
      })
    const site = at.replace(/\/backups$/, '')

    await streamed(all.dashboard, `${at}/restore`, { backup_id, parts, dry_run: true })
    await all.dashboard.call('POST', `${site}/cache-purge`)
    await streamed(all.dashboard, `/api/servers/${all.first}/wp-scan`, { site_id: all.shop })

    expect(bodies).toHaveLength(3)
    expect(bodies.join()).not.toContain(PASSWORD)
  })
})
