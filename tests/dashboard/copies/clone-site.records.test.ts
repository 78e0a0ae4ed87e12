import { describe, expect, test } from 'bun:test'
import { until } from '#tests/support/dashboard/dashboard.ts'
import { shown, useCloudflare } from '#tests/support/dashboard/dns.ts'

const cloudflare = useCloudflare()
const { left, put } = cloudflare
const DOMAIN = 'copy.a.example'

/** The site a.example, and what its agent has got for copies. */
async function started({ fail = false } = {}) {
  const all = await cloudflare.oneSite()
  await all.account()
  const given: unknown[] = []
  const seen: unknown[] = []
  all.agent.works.set('site.clone', async function* (params) {
    given.push(params)
    seen.push(left())
    yield 'Copying'
    if (fail) throw new Error('The disk is full')
    const copied = { at: '2026-01-01T00:00:00.000Z', files: 3, bytes: 4, tables: 5 }
    return { domain: params.domain, ...copied, addresses: { replaced: 6, left: [] } }
  })
  const clone = async (more: object) => {
    const from = { kind: 'site', site_id: all.site }
    const at = `/api/servers/${all.server_id}/sites/clone`
    return all.dashboard.call('POST', at, { domain: DOMAIN, tls: 'none', from, ...more })
  }
  const settled = (id: number, status: string) =>
    until(async () => {
      const { body } = await all.dashboard.call('GET', `/api/fleet/sites/${id}`)
      return body.site.status === status
    })
  return { ...all, given, seen, clone, settled }
}

describe('the DNS records of a clone', () => {
  test('are in its plan, before the steps of the server', async () => {
    await using all = await started()
    all.agent.plan = { steps: [{ name: 'copy', title: 'Copying', effects: [] }] }

    const { body } = await all.clone({ dns: {}, dry_run: true })

    const name = (domain: string) => `A ${domain} → ${all.address} in Cloudflare`
    expect(body.plan.steps).toEqual([
      {
        name: 'dns_records',
        title: 'Changing DNS records at Cloudflare',
        effects: [
          { action: 'create', kind: 'record', name: name(DOMAIN) },
          { action: 'create', kind: 'record', name: name(`www.${DOMAIN}`) },
        ],
        notes: ['They are restored if the operation fails.'],
      },
      { name: 'copy', title: 'Copying', effects: [] },
    ])
    expect(left()).toEqual([])
  })

  test('are made before the server gets the work, and the server does not get them', async () => {
    await using all = await started()

    const { body } = await all.clone({ dns: {} })
    await all.settled(body.site.id, 'active')

    const made = [DOMAIN, `www.${DOMAIN}`].map((name) => ['A', name, all.address, false] as const)
    expect(all.seen).toEqual([made])
    expect(left()).toEqual(made)
    expect(all.given).toHaveLength(1)
    expect(all.given[0]).not.toHaveProperty('dns')
  })

  test('are removed again if the copy fails', async () => {
    await using all = await started({ fail: true })

    const { body } = await all.clone({ dns: {} })
    await all.settled(body.site.id, 'failed')

    await until(async () => left().length === 0)
    expect(all.seen).toHaveLength(1)
  })

  test('are refused if they are not those that were shown', async () => {
    await using all = await started()
    await all.set({})
    put('A', '192.0.2.99')
    for (const record of cloudflare.records) record.name = DOMAIN

    const { status, body } = await all.clone({
      dns: { replace: [shown('A', '192.0.2.98', DOMAIN)] },
    })

    expect([status, body.error, body.code]).toEqual([409, 'Conflict', 'changed_meanwhile'])
    expect(all.given).toEqual([])
  })
})
