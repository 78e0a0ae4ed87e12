import { describe, expect, test } from 'bun:test'
import { site_names } from '#dashboard/kernel/db/domains-schema.ts'
import { sites } from '#dashboard/kernel/db/schema.ts'
import { AT } from '#dashboard/kernel/http/example-values.ts'
import { events, movingServers } from '#tests/support/dashboard/moves.ts'

const FACTS = { user: 'other', php: '8.2', tier: 'small', tls: 'none', created_at: AT } as const

describe('a move is refused', () => {
  test.each([
    ['the server of the site', 'first', 'The site is on this server already'],
    ['an unknown server', 'none', 'Is not a server of this dashboard'],
  ] as const)('for %s', async (_, which, reason) => {
    await using all = await movingServers()
    const server_id = which === 'first' ? all.first : 99

    const path = `/api/servers/${all.first}/sites/${all.shop}/move`
    const { status, body } = await all.dashboard.call('POST', path, { server_id })

    expect([status, body.fields]).toEqual([422, { server_id: [reason] }])
  })

  test('to a server that changes what others made, until that is accepted', async () => {
    await using all = await movingServers()
    const restart = { action: 'run', kind: 'restart', name: 'php8.2-fpm.service' } as const
    const asked = { ...restart, asks: 'php_restarted' }
    const packages = { action: 'create', kind: 'package', name: 'nginx' } as const
    all.two.agent.plan = {
      steps: [{ name: 'packages', title: 'Installing nginx', effects: [packages, asked] }],
    }
    const path = `/api/servers/${all.first}/sites/${all.shop}/move`
    const body = { server_id: all.second }

    const before = all.one.agent.began.length
    const planned = await all.dashboard.call('POST', path, { ...body, dry_run: true })
    const refused = await all.dashboard.call('POST', path, body)
    const begun = all.one.agent.began.length - before
    await events(all, 'move', { ...body, accept: ['php_restarted'] })

    const steps: { name: string; effects: object[] }[] = planned.body.plan.steps
    expect(steps.filter(({ effects }) => effects.length > 0)).toMatchObject([
      { name: 'certificate', effects: [asked] },
    ])
    expect([refused.status, refused.body.fields]).toEqual([
      422,
      {
        accept: [
          'This changes what Hosting Control did not create: restart php8.2-fpm.service (php_restarted). Confirm it with accept: ["php_restarted"]',
        ],
      },
    ])
    expect(begun).toBe(0)
    const received = all.two.given.find((params) => 'site.receive' in params)
    expect(received?.['site.receive']).toMatchObject({ accept: ['php_restarted'] })
  })

  test('to a server that cannot have the site, before it is backed up', async () => {
    await using all = await movingServers()
    const fields = { user: ['Already a user of this server'] }
    const refusal = { error: 'Validation failed', fields }
    all.two.agent.answers.set('/exec', () => Response.json(refusal, { status: 422 }))
    const path = `/api/servers/${all.first}/sites/${all.shop}/move`

    const { status, body } = await all.dashboard.call('POST', path, { server_id: all.second })

    expect([status, body.fields]).toEqual([422, { server_id: fields.user }])
  })

  test('while the site is suspended', async () => {
    await using all = await movingServers()
    await all.dashboard.db.write((queries) => queries.update(sites).set({ status: 'suspended' }))

    const path = `/api/servers/${all.first}/sites/${all.shop}/move`
    const { status, body } = await all.dashboard.call('POST', path, { server_id: all.second })

    expect([status, body.message]).toEqual([409, 'shop.example is suspended: resume it first'])
    const at = `/api/servers/${all.first}/sites/${all.shop}`
    const restored = await all.dashboard.call('POST', `${at}/restore`, {})
    expect(restored.body.message).toBe('shop.example is not in the trash')
  })

  test('to a server with another site of the same name, also if it is an alias', async () => {
    await using all = await movingServers()
    const { db } = all.dashboard
    const found = { server_id: all.second, managed: false, status: 'active' as const, ...FACTS }
    await db.write((queries) =>
      queries
        .insert(site_names)
        .values({ name: 'alias.example', apex: 'alias.example', site_id: all.shop, kind: 'alias' }),
    )
    const there = (domain: string) =>
      db.write((queries) =>
        queries
          .insert(sites)
          .values({ ...found, domain, apex: domain })
          .returning(),
      )
    const path = `/api/servers/${all.first}/sites/${all.shop}/move`
    const refused = async () => {
      const { status, body } = await all.dashboard.call('POST', path, { server_id: all.second })
      return [status, body.message]
    }

    await there('other.example')
    await there('alias.example')
    const reason = 'localhost has the site alias.example, and that is a name of shop.example'
    expect(await refused()).toEqual([409, `${reason}: remove one of them first`])
  })

  test('again until it is confirmed, and so is the deletion of the site', async () => {
    await using all = await movingServers()
    await events(all, 'move', { server_id: all.second })

    const at = `/api/servers/${all.second}/sites/${all.shop}`
    const second = await all.dashboard.call('POST', `${at}/move`, { server_id: all.first })
    const deleted = await all.dashboard.call('DELETE', at)

    expect([second.status, deleted.status]).toEqual([409, 409])
  })

  test('a plan has the parts, and changes nothing', async () => {
    await using all = await movingServers()
    const path = `/api/servers/${all.first}/sites/${all.shop}/move`

    const { body } = await all.dashboard.call('POST', path, {
      ...{ server_id: all.second, dry_run: true },
    })

    expect(body.plan.steps.map(({ title }: { title: string }) => title)).toContain(
      'Freezing shop.example',
    )
    expect(all.asked).toEqual([])
  })
})
