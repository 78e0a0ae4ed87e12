import { describe, expect } from 'bun:test'
import { conflict } from '#shared/kernel/errors.ts'
import { until } from '#tests/support/dashboard/dashboard.ts'
import { shown, useCloudflare } from '#tests/support/dashboard/dns.ts'
import { testWith } from '#tests/support/fixture.ts'

const test = testWith(names)

const cloudflare = useCloudflare()
const { left, refusals, put, clear } = cloudflare

/** The site a.example, whose agent sets names; the zone had records before. */
async function names() {
  const all = await cloudflare.oneSite()
  await all.account()
  await all.set({})
  clear()
  const given: object[] = []
  const seen: unknown[] = []
  all.agent.works.set('site.domains', async function* (params) {
    given.push(params)
    seen.push(left())
    yield 'Applying the virtual host'
    if (Array.isArray(params.aliases) && params.aliases.includes('refused.example'))
      throw conflict('nginx refuses its configuration')
    return params
  })
  const at = `/api/servers/${all.server_id}/sites/${all.site}/domains`
  const change = async (body: object) => {
    const response = await all.dashboard.send('PUT', at, { www: 'redirect', ...body })
    const text = await response.text()
    return text.startsWith('{') ? JSON.parse(text) : text
  }
  return { ...all, at, given, seen, change }
}

const here = (address: string, name: string) => ['A', name, address, false] as const
const at = (address: string) => `A a.example → ${address} in Cloudflare`

describe('the DNS records of an operation', () => {
  test('are in its plan, which changes nothing', async (all) => {
    all.agent.plan = { steps: [{ name: 'apply', title: 'Applying', effects: [] }] }
    put('A', '192.0.2.99')
    const before = left()

    const { plan } = await all.change({
      dns: { replace: [shown('A', '192.0.2.99')] },
      dry_run: true,
    })

    expect(plan.steps).toEqual([
      {
        name: 'dns_records',
        title: 'Changing DNS records at Cloudflare',
        effects: [
          { action: 'remove', kind: 'record', name: 'A a.example → 192.0.2.99 in Cloudflare' },
          { action: 'create', kind: 'record', name: at(all.address) },
          {
            ...{ action: 'create', kind: 'record' },
            name: `A www.a.example → ${all.address} in Cloudflare`,
          },
        ],
        notes: ['They are restored if the operation fails.'],
      },
      { name: 'apply', title: 'Applying', effects: [] },
    ])
    expect(left()).toEqual(before)
    expect(all.agent.planned).toEqual([
      {
        command: 'site.domains',
        params: { domain: 'a.example', www: 'redirect', aliases: [], redirects: [] },
      },
    ])
  })

  test('are made before the agent gets it, and are in its log and in the activity of the site', async (all) => {
    const log = await all.change({ dns: {} })

    const made = [here(all.address, 'a.example'), here(all.address, 'www.a.example')]
    expect(all.seen).toEqual([made])
    expect(left()).toEqual(made)
    expect(all.given).toEqual([
      { domain: 'a.example', www: 'redirect', aliases: [], redirects: [] },
    ])
    expect(log).toContain(`Changed DNS records: ${at(all.address)}`)
    expect(log.indexOf('Changed DNS records')).toBeLessThan(log.indexOf('Applying the virtual'))
    expect(await all.details()).toEqual([
      ['dns.records', 'success', `A www.a.example → ${all.address} in Cloudflare`],
      ['dns.records', 'success', at(all.address)],
      ['dns.records', 'success', at(all.address)],
    ])
    expect(await all.entries()).toEqual(Array(3).fill(['a.example', 'success']))
  })

  test('are not touched without a choice', async (all) => {
    const calls = cloudflare.calls.length

    await all.change({})

    expect(cloudflare.calls.length).toBe(calls)
    expect(left()).toEqual([])
  })

  test('that point elsewhere stay unless they are named', async (all) => {
    put('A', '192.0.2.99')

    await all.change({ dns: {} })
    expect(left()).toEqual([here('192.0.2.99', 'a.example'), here(all.address, 'www.a.example')])

    await all.change({ dns: { replace: [shown('A', '192.0.2.99')] } })
    expect(left()).toEqual([here(all.address, 'www.a.example'), here(all.address, 'a.example')])
    expect((await all.details())[0]).toEqual([
      ...['dns.records', 'success', `${at(all.address)}, replaces A 192.0.2.99`],
    ])
  })

  test.each([
    [[shown('A', '192.0.2.98')], 'now it has A 192.0.2.99'],
    [[shown('A', '192.0.2.99'), shown('AAAA', '2001:db8::1')], 'now it has A 192.0.2.99'],
    [[shown('A', '192.0.2.98', 'www.a.example')], 'none of them points elsewhere now'],
  ])('are refused if the zone has others than %p', async (all, replace, state) => {
    put('A', '192.0.2.99')

    const body = await all.change({ dns: { replace } })

    const { name } = replace[0] ?? {}
    expect(body).toEqual({
      error: 'Conflict',
      message: `The DNS records of ${name} have changed since they were shown: ${state}. Review them again`,
      code: 'changed_meanwhile',
    })
    expect(left()).toEqual([here('192.0.2.99', 'a.example')])
  })

  test('are as before after a failure of the agent, and both are in the activity', async (all) => {
    put('CNAME', 'shop.elsewhere.example', true)
    const before = left()

    await all.change({
      aliases: ['refused.example'],
      dns: { replace: [shown('CNAME', 'shop.elsewhere.example')] },
    })

    await until(async () => (await all.details()).length === 5)
    expect(left()).toEqual(before)
    expect((await all.details()).slice(0, 2)).toEqual([
      [
        ...['dns.records_undo', 'success'],
        `CNAME a.example → shop.elsewhere.example in Cloudflare, replaces A ${all.address}`,
      ],
      [
        ...['dns.records_undo', 'success'],
        `www.a.example in Cloudflare, replaces A ${all.address}`,
      ],
    ])
  })

  test('are as before if Cloudflare refuses one of them, and the agent does not get it', async (all) => {
    refusals.add('www.a.example')

    const body = await all.change({ dns: {} })

    expect(body.message).toBe(
      'The DNS records of www.a.example could not be changed: Cloudflare: Content for record is invalid. (9005)',
    )
    expect(all.given).toEqual([])
    await until(() => left().length === 0)
  })

  test('are not changed if the agent refuses the plan', async (all) => {
    all.agent.answers.set('/exec', () =>
      Response.json({ error: 'Conflict', message: 'Another virtual host has it' }, { status: 409 }),
    )

    const body = await all.change({ dns: {} })

    expect(body.message).toBe('Another virtual host has it')
    expect(left()).toEqual([])
  })
})
