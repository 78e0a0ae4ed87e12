import { expect, test } from 'bun:test'
import { backupAgent } from '#tests/support/dashboard/backups.ts'
import { ending, makeDashboard, until } from '#tests/support/dashboard/dashboard.ts'

const AT = '2026-01-01T00:00:00.000Z'
const REPLACED = {
  ...{ status: 'ok', at: AT, until: '2099-01-08T00:00:00.000Z' },
  addresses: { replaced: 6, left: [] },
}
const none = { count: 0, examples: [] }
const COMPARED = {
  files: { added: none, changed: none, removed: none, live_changed: none, live_known: true },
  tables: [
    { name: 'wp_posts', live_rows: 1, staging_rows: 2, live_changed: false, staging_changed: true },
  ],
}

/** A dashboard with shop.example, its staging site, and the params that its agent got. */
async function started() {
  const { agent } = backupAgent()
  const given: [string, Record<string, unknown>][] = []
  for (const [name, result] of [
    ['site.clone', { ...REPLACED, files: 3, bytes: 4, tables: 5 }],
    ['site.refresh', REPLACED],
    ['site.compare', COMPARED],
    ['site.push', REPLACED],
  ] as const) {
    agent.works.set(name, async function* (params) {
      given.push([name, params])
      yield 'Working'
      return { ...result, domain: params.domain, from: params.from }
    })
  }
  const dashboard = await makeDashboard()
  const server_id = await dashboard.addServer(agent)
  const at = `/api/servers/${server_id}/sites`
  const active = (id: number) =>
    until(async () => {
      const { body } = await dashboard.call('GET', `/api/fleet/sites/${id}`)
      return body.site.status === 'active'
    })
  const add = async (path: string, body: object): Promise<number> => {
    const { site } = (await dashboard.call('POST', path, body)).body
    await active(site.id)
    return site.id
  }
  const live = await add(at, { domain: 'shop.example', php: '8.2', tls: 'none' })
  const from = { kind: 'site', site_id: live }
  const staging = await add(`${at}/clone`, {
    ...{ domain: 'staging.shop-copy.example', from, staging: true, tls: 'none' },
  })
  given.length = 0
  const stream = async (path: string, body: object) => {
    const text = await (await dashboard.send('POST', `${at}/${path}`, body)).text()
    return text
  }
  return {
    ...{ agent, dashboard, given, at, live, staging, stream },
    ...ending(dashboard, agent),
  }
}

test('a refresh takes the live site unless the call names another source, and can be undone', async () => {
  await using all = await started()
  const { dashboard, given, at, staging, stream } = all

  expect(await stream(`${staging}/refresh`, {})).toContain('event: complete')

  const domain = 'staging.shop-copy.example'
  expect(given).toEqual([
    ['site.refresh', { domain, from: { kind: 'site', domain: 'shop.example' } }],
  ])
  const { body } = await dashboard.call('GET', `${at}/${staging}/backups`)
  expect(body.undo).toMatchObject({ at: AT })
})

test('a comparison and a push name both sites for the agent', async () => {
  await using all = await started()
  const { given, live, staging, stream } = all
  const pushed = { files: true, tables: ['wp_posts'], overwrite: [] }

  const compared = await stream(`${live}/compare`, { staging_id: staging })
  await stream(`${live}/push`, { staging_id: staging, ...pushed })

  expect(compared).toContain('"name":"wp_posts"')
  const both = { domain: 'shop.example', from: 'staging.shop-copy.example' }
  expect(given).toEqual([
    ['site.compare', both],
    ['site.push', { ...both, ...pushed }],
  ])
})

test('a retry needs the right on the site that it reads, too', async () => {
  await using all = await started()
  const { agent, dashboard, live, staging, stream } = all
  const runs: [string, number, number][] = [
    ['refresh', staging, live],
    ['compare', live, staging],
    ['push', live, staging],
  ]
  const bodies: Record<string, object> = {
    refresh: {},
    compare: { staging_id: staging },
    push: { staging_id: staging, files: true, without_backup: true },
  }
  const operator = (site_id: number) =>
    ({ gives: 'operator', tag: null, server_id: null, site_id }) as const

  const statuses: Record<string, number[]> = {}
  for (const [call, site, other] of runs) {
    agent.works.set(`site.${call}`, async function* () {
      yield 'Working'
      throw new Error('The disk is full')
    })
    await stream(`${site}/${call}`, bodies[call] ?? {})
    const { body } = await dashboard.call('GET', `/api/operations?type=site.${call}`)
    const retry = async (...sites: number[]) => {
      const headers = await dashboard.signInWith([], sites.map(operator))
      const path = `/api/operations/${body.operations[0].id}/retry`
      return (await dashboard.call('POST', path, { dry_run: true }, headers)).status
    }
    statuses[call] = [await retry(site), await retry(other), await retry(site, other)]
  }

  const refusedAlone = [403, 403, 200]
  expect(statuses).toEqual({ refresh: refusedAlone, compare: refusedAlone, push: refusedAlone })
})

test('refuses sites that are no pair', async () => {
  await using all = await started()
  const { dashboard, at, live, staging } = all
  const call = (path: string, body: object) => dashboard.call('POST', `${at}/${path}`, body)
  const refused = { staging_id: ['Is not a staging site of this site'] }

  const swapped = await call(`${staging}/compare`, { staging_id: live })
  const itself = await call(`${live}/push`, { staging_id: live, files: true })
  const nothing = await call(`${live}/push`, { staging_id: staging, files: false })
  const refreshed = await call(`${live}/refresh`, {})

  expect([swapped.status, swapped.body.fields]).toEqual([422, refused])
  expect([itself.status, itself.body.fields]).toEqual([422, refused])
  expect([nothing.status, nothing.body.fields]).toEqual([
    422,
    { tables: ['Must name tables, or files must be true'] },
  ])
  expect([refreshed.status, refreshed.body.message]).toEqual([
    409,
    'It is not the staging site of a recorded site',
  ])
})
