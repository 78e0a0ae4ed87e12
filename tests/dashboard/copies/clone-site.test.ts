import { describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { eq } from 'drizzle-orm'
import { operations, sites } from '#dashboard/db/schema.ts'
import {
  backupAgent,
  checkedTarget,
  confirmKit,
  PASSWORD,
  SECRET,
} from '#tests/support/dashboard/backups.ts'
import { type Dashboard, makeDashboard, until } from '#tests/support/dashboard/dashboard.ts'

const CLONED = {
  ...{ status: 'ok', at: '2026-01-01T00:00:00.000Z', files: 3, bytes: 4, tables: 5 },
  addresses: { replaced: 6, left: [] },
}

/** A dashboard with the site shop.example, and the params that its agent got for copies. */
async function started(fail = false) {
  const { agent, given } = backupAgent()
  const copies: Record<string, unknown>[] = []
  const state = { fail }
  agent.works.set('site.clone', async function* (params) {
    copies.push(params)
    yield 'Copying'
    if (state.fail) throw new Error('The disk is full')
    return { ...CLONED, domain: params.domain }
  })
  const dashboard = await makeDashboard()
  const server_id = await dashboard.addServer(agent)
  const at = `/api/servers/${server_id}/sites`
  const first = { domain: 'shop.example', php: '8.2', tier: 'medium', tls: 'none' }
  const created = await dashboard.call('POST', at, first)
  const shop = created.body.site.id
  await settled(dashboard, shop, 'active')
  const clone = (body: object) => dashboard.call('POST', `${at}/clone`, body)
  return {
    ...{ agent, dashboard, given, copies, state, server_id, at, shop, clone },
    async [Symbol.asyncDispose]() {
      await dashboard[Symbol.asyncDispose]()
      await agent[Symbol.asyncDispose]()
    },
  }
}

const settled = (dashboard: Dashboard, id: number, status: string) =>
  until(async () => {
    const { body } = await dashboard.call('GET', `/api/fleet/sites/${id}`)
    return body.site.status === status
  })

describe('a clone', () => {
  test('of a site has its PHP and tier, and the records name the original', async () => {
    await using all = await started()
    const { dashboard, copies, shop, clone } = all
    const from = { kind: 'site', site_id: shop }

    const { status, body } = await clone({ domain: 'copy.example', tls: 'none', from })

    await settled(dashboard, body.site.id, 'active')
    expect([status, body.site.status]).toEqual([201, 'provisioning'])
    expect(copies).toMatchObject([
      {
        domain: 'copy.example',
        php: '8.2',
        tier: 'medium',
        from: { kind: 'site', domain: 'shop.example' },
      },
    ])
    expect(copies[0]).not.toHaveProperty('staging')
    const copy = (await dashboard.call('GET', `/api/fleet/sites/${body.site.id}`)).body.site
    expect([copy.copy_of?.domain, copy.staging]).toEqual(['shop.example', false])
  })

  test('that is a staging site has a password, of which the agent gets the hash', async () => {
    await using all = await started()
    const { dashboard, copies, shop, at, clone } = all
    const from = { kind: 'site', site_id: shop }

    const { body } = await clone({ domain: 'staging.shop-copy.example', from, staging: true })

    await settled(dashboard, body.site.id, 'active')
    const shown = await dashboard.call('POST', `${at}/${body.site.id}/staging-password`)
    const { of, user, password_hash } = Object(copies[0]?.staging)
    const bytes = Buffer.from(String(password_hash).slice('{SSHA}'.length), 'base64')
    const hash = createHash('sha1').update(shown.body.password).update(bytes.subarray(20))
    expect([of, user, shown.body.user]).toEqual(['shop.example', 'staging', 'staging'])
    expect(bytes.subarray(0, 20).toString('hex')).toBe(hash.digest('hex'))
    expect(JSON.stringify(copies)).not.toContain(shown.body.password)
  })

  test('of a backup gets the secrets of its target, which the records keep sealed', async () => {
    await using all = await started()
    const { dashboard, copies, shop, at, server_id, clone } = all
    await confirmKit(dashboard)
    await checkedTarget(dashboard, server_id)
    await (await dashboard.send('POST', `${at}/${shop}/backups`, {})).text()
    const backup_id = (await dashboard.call('GET', `${at}/${shop}/backups`)).body.backups[0].id
    // The backup outlives its site.
    await dashboard.db.write((queries) => queries.delete(sites).where(eq(sites.id, shop)))

    const { body } = await clone({ domain: 'copy.example', from: { kind: 'backup', backup_id } })

    await settled(dashboard, body.site.id, 'active')
    expect(copies).toMatchObject([
      {
        from: {
          ...{ kind: 'backup', backup: '1'.repeat(64), password: PASSWORD },
          target: { secret: SECRET },
        },
      },
    ])
    const rows = await dashboard.db.read.select().from(operations)
    expect(JSON.stringify(rows)).not.toContain(SECRET)
    expect(JSON.stringify(rows)).not.toContain(PASSWORD)
  })

  test('that failed stays recorded with the reason, and is retried', async () => {
    await using all = await started(true)
    const { dashboard, copies, state, shop, clone } = all
    const from = { kind: 'site', site_id: shop }
    const { body } = await clone({ domain: 'copy.example', from })
    await settled(dashboard, body.site.id, 'failed')
    const { operations: found } = (await dashboard.call('GET', '/api/operations?type=site.clone'))
      .body
    state.fail = false

    await dashboard.call('POST', `/api/operations/${found[0].id}/retry`)

    await settled(dashboard, body.site.id, 'active')
    expect(copies).toHaveLength(2)
    expect(copies[1]).toEqual(copies[0])
  })

  test('is refused for a taken name, an unknown source, or a site of another server without a kit', async () => {
    await using all = await started()
    const { dashboard, agent, shop, clone } = all
    const from = { kind: 'site', site_id: shop }
    const taken = await clone({ domain: 'www.shop.example', from })
    const unknown = await clone({ domain: 'b.example', from: { kind: 'backup', backup_id: 99 } })
    const other = await dashboard.addServer(agent)
    const elsewhere = await dashboard.call('POST', `/api/servers/${other}/sites/clone`, {
      ...{ domain: 'b.example', from },
    })

    expect([taken.status, taken.body.fields]).toEqual([
      422,
      { domain: ['The domain is already taken'] },
    ])
    expect([unknown.status, unknown.body.fields]).toEqual([422, { from: ['Is not a backup'] }])
    expect([elsewhere.status, elsewhere.body.message]).toEqual([
      409,
      'No recovery kit is confirmed: create one on the page Backups, and store it safely',
    ])
  })
})
