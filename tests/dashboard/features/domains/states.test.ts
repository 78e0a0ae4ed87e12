import { expect, test } from 'bun:test'
import { leadingTo } from '#dashboard/features/domains/states.ts'
import { addSite, fleet } from '#tests/support/dashboard/backup-fleet.ts'

const HERE = ['192.0.2.1', '2001:db8::1']

test.each([
  [['192.0.2.1'], 'here', null],
  [['192.0.2.1', '2001:db8::1'], 'here', null],
  [['192.0.2.1', '198.51.100.1'], 'both', null],
  [['198.51.100.1'], 'elsewhere', null],
  [['104.16.1.1', '2606:4700::1'], 'cdn', 'Cloudflare'],
  [['151.101.1.1'], 'cdn', 'Fastly'],
  [['23.235.32.1', '140.248.64.1', '167.82.224.1', '199.27.79.1'], 'cdn', 'Fastly'],
  [['104.16.1.1', '198.51.100.1'], 'elsewhere', null],
  [['104.16.1.1', '151.101.1.1'], 'elsewhere', null],
  [[], 'none', null],
  [null, 'unknown', null],
])('records %p are %s', (records, dns, cdn) => {
  expect(leadingTo(records, HERE)).toEqual({ dns, cdn } as ReturnType<typeof leadingTo>)
})

test('a server that is reached at a private address may have any public one', () => {
  expect(leadingTo(['198.51.100.1'], ['10.0.0.5'])).toEqual({ dns: 'unknown', cdn: null })
  expect(leadingTo(['10.0.0.6'], ['10.0.0.5'])).toEqual({ dns: 'elsewhere', cdn: null })
})

test('the states of a site come from its server, and its address is what the records should have', async () => {
  await using all = await fleet({ ready: false })
  const { dashboard, agent, server_id } = all
  const site = await addSite(dashboard, server_id, { domain: 'a.example', apex: 'a.example' })
  const certificate = { state: 'active', reason: '', next_at: null }
  agent.answers.set('/sites/names', () =>
    Response.json({
      ...{ self_signed: false, expires_at: '2027-01-01T00:00:00.000Z' },
      names: [{ name: 'a.example', records: ['127.0.0.1'], certificate }],
    }),
  )

  const path = `/api/servers/${server_id}/sites/${site}/domains/states`

  expect(await dashboard.call('GET', path)).toEqual({
    status: 200,
    body: {
      ...{ expected: ['127.0.0.1'], self_signed: false, expires_at: '2027-01-01T00:00:00.000Z' },
      names: [{ name: 'a.example', dns: 'here', cdn: null, records: ['127.0.0.1'], certificate }],
    },
  })
})
