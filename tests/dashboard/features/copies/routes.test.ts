import { describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { eq } from 'drizzle-orm'
import { site_copies, staging_access } from '#dashboard/kernel/db/copies-schema.ts'
import type { NewSite } from '#dashboard/kernel/db/rows.ts'
import { sites } from '#dashboard/kernel/db/schema.ts'
import { Secret } from '#shared/kernel/secret.ts'
import { addSite, fleet } from '#tests/support/dashboard/backup-fleet.ts'

describe('the password of a staging site', () => {
  test('is shown with its user, and the activity records it', async () => {
    await using all = await fleet({ ready: false })
    const { dashboard, server_id } = all
    const site_id = await addSite(dashboard, server_id, { staging: true, domain: 'copy.example' })
    const password_sealed = dashboard.deps.sealer.seal('staging password', new Secret('let me in'))
    await dashboard.db.write((queries) =>
      queries.insert(staging_access).values({ site_id, user: 'staging', password_sealed }),
    )

    const at = `/api/servers/${server_id}/sites/${site_id}/staging-password`
    const shown = await dashboard.call('POST', at)

    const { body } = await dashboard.call('GET', '/api/activity?type=site.staging_password')
    expect(shown).toEqual({ status: 200, body: { user: 'staging', password: 'let me in' } })
    expect(body.activities).toMatchObject([{ domain: 'copy.example', status: 'success' }])
  })

  test('is 409 for a site that is no staging site', async () => {
    await using all = await fleet({ ready: false })
    const { dashboard, server_id } = all
    const site_id = await addSite(dashboard, server_id, { domain: 'plain.example' })

    const at = `/api/servers/${server_id}/sites/${site_id}/staging-password`
    const { status, body } = await dashboard.call('POST', at)

    expect([status, body.message]).toEqual([
      409,
      'plain.example is not a staging site: visitors need no password',
    ])
  })
})

describe('a new password of a staging site', () => {
  const SEAL = 'staging password'

  async function staging(outcome: 'complete' | 'error' = 'complete') {
    const all = await fleet({ ready: false })
    const { dashboard, server_id, agent } = all
    const site_id = await addSite(dashboard, server_id, { staging: true, domain: 'copy.example' })
    const password_sealed = dashboard.deps.sealer.seal(SEAL, new Secret('former'))
    await dashboard.db.write((queries) =>
      queries.insert(staging_access).values({ site_id, user: 'anna', password_sealed }),
    )
    const given: Record<string, unknown>[] = []
    agent.works.set('staging.password', async function* (params) {
      given.push(params)
      yield 'Applying the virtual host'
      if (outcome === 'error') throw new Error('nginx refuses its configuration')
      return { status: 'ok', domain: params.domain }
    })
    const at = `/api/servers/${server_id}/sites/${site_id}/staging-password`
    return { all, dashboard, server_id, given, at, site_id }
  }

  test('is returned once, and only its hash leaves the dashboard', async () => {
    const { all, dashboard, given, at } = await staging()
    await using _ = all

    const changed = await dashboard.call('POST', `${at}/change`)

    const { user, password } = changed.body
    expect([changed.status, user]).toEqual([200, 'anna'])
    expect(password).toMatch(/^[\w-]{30}$/)
    expect(given).toEqual([
      { domain: 'copy.example', password_hash: expect.stringMatching(/^\{SSHA\}/) },
    ])
    const salted = Buffer.from(String(given[0]?.password_hash).slice('{SSHA}'.length), 'base64')
    const digest = createHash('sha1').update(password).update(salted.subarray(20)).digest()
    expect(salted.subarray(0, 20)).toEqual(digest)
    expect((await dashboard.call('POST', at)).body).toEqual({ user, password })
    const everything = await Promise.all(
      ['operations', 'activity?limit=100'].map((path) => dashboard.call('GET', `/api/${path}`)),
    )
    expect(JSON.stringify(everything)).not.toContain(password)
    const { body } = await dashboard.call('GET', '/api/activity?type=staging.password')
    expect(body.activities).toMatchObject([{ domain: 'copy.example', status: 'success' }])
  })

  test('does not replace the former one if the server fails, or for a plan', async () => {
    const { all, dashboard, given, at } = await staging('error')
    await using _ = all
    all.agent.plan = { steps: [{ name: 'vhost', title: 'Applying the virtual host', effects: [] }] }

    const failed = await dashboard.call('POST', `${at}/change`)
    const planned = await dashboard.call('POST', `${at}/change`, { dry_run: true })

    expect([failed.status, planned.status]).toEqual([500, 200])
    expect(planned.body.plan.steps).toHaveLength(1)
    expect(given).toHaveLength(1)
    expect((await dashboard.call('POST', at)).body).toEqual({ user: 'anna', password: 'former' })
  })

  test('is 409 for a site that is no staging site', async () => {
    const { all, dashboard, server_id, given } = await staging()
    await using _ = all
    const plain = await addSite(dashboard, server_id, { domain: 'plain.example' })

    const at = `/api/servers/${server_id}/sites/${plain}/staging-password/change`
    const { status, body } = await dashboard.call('POST', at)

    expect([status, body.message, given]).toEqual([
      ...[409, 'plain.example is not a staging site: visitors need no password'],
      [],
    ])
  })
})

describe('a copy', () => {
  test('names its original, which lists its copies until they are in the trash', async () => {
    await using all = await fleet({ ready: false })
    const { dashboard, server_id } = all
    const shop = await addSite(dashboard, server_id, { domain: 'shop.example' })
    const copy_of = async (more: Partial<NewSite>) => {
      const site_id = await addSite(dashboard, server_id, more)
      const row = { site_id, original_id: shop }
      await dashboard.db.write((queries) => queries.insert(site_copies).values(row))
      return site_id
    }
    const first = await copy_of({ staging: true, domain: 'staging.shop.example' })
    const second = await copy_of({ domain: 'other.example' })
    await copy_of({ domain: 'old.example', status: 'trashed' })
    const site = async (id: number) =>
      (await dashboard.call('GET', `/api/fleet/sites/${id}`)).body.site

    const [original, copy] = [await site(shop), await site(first)]
    await dashboard.db.write((queries) => queries.delete(sites).where(eq(sites.id, shop)))
    const orphan = await site(first)

    const shown = {
      ...{ server_id, server: '127.0.0.1', tls: 'none', status: 'active' },
      created_at: '2026-01-01T00:00:00.000Z',
    }
    expect([original.copy_of, original.copies]).toEqual([
      null,
      [
        { id: second, domain: 'other.example', staging: false, ...shown },
        { id: first, domain: 'staging.shop.example', staging: true, ...shown },
      ],
    ])
    expect([copy.copy_of, copy.copies]).toEqual([
      { id: shop, domain: 'shop.example', staging: false, ...shown },
      [],
    ])
    expect([orphan.staging, orphan.copy_of]).toEqual([true, null])
  })

  test('is found by whether it is a staging site', async () => {
    await using all = await fleet({ ready: false })
    const { dashboard, server_id } = all
    await addSite(dashboard, server_id, { domain: 'shop.example' })
    await addSite(dashboard, server_id, { domain: 'staging.shop.example', staging: true })
    const names = async (query: string) =>
      (await dashboard.call('GET', `/api/fleet/sites?${query}`)).body.sites.map(
        ({ domain }: { domain: string }) => domain,
      )

    expect([await names('staging=true'), await names('staging=false'), await names('')]).toEqual([
      ['staging.shop.example'],
      ['shop.example'],
      ['shop.example', 'staging.shop.example'],
    ])
  })

  test('that is a staging site is backed up only with an interval of its own', async () => {
    await using all = await fleet()
    const { dashboard, server_id } = all
    const add = (domain: string) => addSite(dashboard, server_id, { domain, staging: true })
    await add('never.example')
    const weekly = await add('weekly.example')
    const at = `/api/servers/${server_id}/sites/${weekly}/backups/settings`
    await dashboard.call('PUT', at, { every: 'weekly', target_id: null })

    const { body } = await dashboard.call('GET', '/api/fleet/backups')

    expect(body.sites.map(({ domain }: { domain: string }) => domain)).toEqual(['weekly.example'])
    expect(body.counts.sites).toBe(1)
  })
})
