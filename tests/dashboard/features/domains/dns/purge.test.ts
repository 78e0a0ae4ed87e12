import { describe, expect } from 'bun:test'
import { eq } from 'drizzle-orm'
import { dns_accounts } from '#dashboard/kernel/db/dns-schema.ts'
import { site_names } from '#dashboard/kernel/db/domains-schema.ts'
import { Secret } from '#shared/kernel/secret.ts'
import { useCloudflare } from '#tests/support/dashboard/dns.ts'
import { testWith } from '#tests/support/fixture.ts'

const test = testWith(proxied)

const cloudflare = useCloudflare()
const { records, purges, denials, gone } = cloudflare

/** a.example, whose primary domain is proxied, and www.a.example, which is not. */
async function proxied() {
  const all = await cloudflare.oneSite()
  const { dashboard, server_id, site } = all
  await all.account()
  for (const name of ['a.example', 'www.a.example']) await all.set({ name })
  for (const record of records) record.proxied = record.name === 'a.example'
  const agent_done: string[] = []
  all.agent.works.set('cache.purge', async function* ({ domain }) {
    yield 'Emptying the page cache'
    agent_done.push(`${domain}, ${purges.length} purges before`)
    return { domain }
  })
  const at = `/api/servers/${server_id}/sites/${site}`
  const purge = (body: object = {}) => dashboard.call('POST', `${at}/cdn-purge`, body)
  const empty = (body: object = {}) => dashboard.call('POST', `${at}/cache-purge`, body)
  const warnings = async () => {
    const { body } = await dashboard.call('GET', '/api/operations?type=cache.purge')
    const [{ status, warnings }] = body.operations
    return { status, warnings }
  }
  const cdnEntries = async () => {
    const { body } = await dashboard.call('GET', '/api/fleet/activity?type=cdn.purge')
    const entries = body.activities as { status: string; detail: string; domain: string }[]
    return entries.map(({ status, detail, domain }) => [domain, status, detail])
  }
  return { ...all, agent_done, purge, empty, warnings, cdnEntries }
}

const zones = [{ zone: 'a.example', account: 'Cloudflare', hosts: ['a.example'] }]

describe('a purge of Cloudflare', () => {
  test('has the proxied names of the site, after a plan that purges nothing', async (all) => {
    expect(await all.purge({ dry_run: true })).toEqual({ status: 200, body: { zones } })
    expect(purges).toEqual([])

    expect(await all.purge()).toEqual({ status: 200, body: { zones } })
    expect(purges).toEqual([['a.example']])
    expect(await all.cdnEntries()).toEqual([['a.example', 'success', 'a.example in Cloudflare']])
  })

  test('takes 30 names in a call', async (all) => {
    const names = Array.from({ length: 40 }, (_, at) => `n${at}.a.example`)
    const rows = names.map((name, position) => ({
      ...{ name, apex: name, site_id: all.site, kind: 'alias' as const, position },
    }))
    await all.dashboard.db.write((queries) => queries.insert(site_names).values(rows))
    const [first] = records
    for (const name of names) records.push({ ...Object(first), name, proxied: true })

    await all.purge()

    expect(purges.map((hosts) => hosts.length)).toEqual([30, 11])
    expect(purges.flat()).toEqual(['a.example', ...names])
  })

  test('is refused for a site that is not behind Cloudflare', async (all) => {
    for (const record of records) record.proxied = false

    const { status, body } = await all.purge()

    expect([status, body.message]).toEqual([
      409,
      'No name of a.example is proxied by Cloudflare in a zone of a DNS account: the cache of Cloudflare has no page of the site',
    ])
  })

  test('follows the purge of the page cache, and is in its plan', async (all) => {
    const { body } = await all.empty({ dry_run: true })
    expect(body.plan.steps).toEqual([
      {
        ...{ name: 'cdn_purge', title: 'Purging the cache of Cloudflare' },
        effects: [{ action: 'run', kind: 'purge', name: 'a.example in Cloudflare' }],
      },
    ])
    expect(purges).toEqual([])

    expect((await all.empty()).status).toBe(200)
    expect(all.agent_done).toEqual(['a.example, 0 purges before'])
    expect(purges).toEqual([['a.example']])
    expect(await all.warnings()).toEqual({ status: 'success', warnings: [] })
  })
})

const PERMISSION =
  'Cloudflare: Authentication error (10000). Give the token of the DNS account Cloudflare the permissions Zone: Read, DNS: Edit and Cache Purge: Purge for a.example at Cloudflare.'
const TOKEN =
  'Cloudflare: Invalid access token (9109). Give the DNS account Cloudflare a valid token on the page Settings.'
const ZONE = /The zone a\.example is no longer in the DNS account Cloudflare: save the account/

type All = Awaited<ReturnType<typeof proxied>>

const FAILURES: [string, (all: All) => unknown, RegExp][] = [
  ['a missing permission', () => denials.add('purge'), literal(PERMISSION)],
  ['a wrong token', wrongToken, literal(TOKEN)],
  ['a zone that is gone', () => gone.add('a.example'), ZONE],
]

describe.each(FAILURES)('%s', (_, make, expected) => {
  test('is explained, with what to do', async (all) => {
    await make(all)

    const { status, body } = await all.purge()

    expect(status).toBe(409)
    expect(body.message).toMatch(expected)
  })

  test('is a warning of the purge of the page cache, which counts as done', async (all) => {
    await make(all)

    const answer = await all.empty()

    expect([answer.status, answer.body.status]).toEqual([200, 'ok'])
    expect(answer.body.message).toStartWith(
      'Emptied the page cache of a.example. The cache of Cloudflare was not purged: Cloudflare: ',
    )
    expect(all.agent_done).toHaveLength(1)
    const { status, warnings } = await all.warnings()
    expect([status, warnings.length, warnings[0].code]).toEqual(['success', 1, 'cdn_not_purged'])
    expect(warnings[0].message).toStartWith('The cache of Cloudflare was not purged: Cloudflare: ')
    expect(warnings[0].message).toMatch(expected)
  })
})

function literal(text: string): RegExp {
  return new RegExp(`${RegExp.escape(text)}$`)
}

/** The token of the account is another one now. */
async function wrongToken({ dashboard }: All) {
  const { sealer, db } = dashboard.deps
  const token_sealed = sealer.seal('dns account', new Secret('b'.repeat(40)))
  await db.write((queries) =>
    queries.update(dns_accounts).set({ token_sealed }).where(eq(dns_accounts.id, 1)),
  )
}
