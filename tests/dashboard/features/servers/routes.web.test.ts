import { expect } from 'bun:test'
import type { UnnamedSite } from '#shared/kernel/found-site.ts'
import { type Dashboard, serverTest as test } from '#tests/support/dashboard/dashboard.ts'

const sync = async (dashboard: Dashboard) =>
  (await dashboard.send('POST', '/api/servers/1/sync')).text()

const web = async (dashboard: Dashboard) => (await dashboard.call('GET', '/api/servers/1/web')).body

const unnamed = (name: string): UnnamedSite => ({
  ...{ names: [name], closed: false, unknown: { php: 'no_pool' }, user: 'web', php: '' },
  ...{ docroot: '/var/www/html', tier: 'small', tls: 'none', framework: 'php', wp_version: '' },
  ...{ db_name: '', updates: { plugins: null, themes: null, core: null } },
})

const nginx = { program: 'nginx', ports: [443], understood: true, reason: null }

const haproxy = {
  ...{ program: 'haproxy\u001b[31m', ports: [80], understood: false },
  reason: 'program_not_understood',
}

test('a sync stores the web servers of a server and its sites without a domain', async ({
  agent,
  dashboard,
}) => {
  expect(await web(dashboard)).toEqual({ at: null, web: null })
  agent.web = { programs: [nginx, haproxy], unnamed: [unnamed('_')] }

  const log = await sync(dashboard)

  expect(await web(dashboard)).toEqual({
    at: expect.any(String),
    web: {
      programs: [nginx, { ...haproxy, program: 'haproxy31m' }],
      unnamed: [
        {
          ...{ names: ['_'], closed: false, docroot: '/var/www/html', user: 'web', php: '' },
          ...{ tls: 'none', framework: 'php', wp_version: '', unknown: { php: 'no_pool' } },
        },
      ],
      unnamed_total: 1,
    },
  })
  expect(log).toContain('Found 1 site that has no domain and is not listed')
  expect(log).toContain('Sites of haproxy31m on port 80 are not listed')
})

test('they stay unchanged when the agent does not report them any more', async ({
  agent,
  dashboard,
}) => {
  agent.web = { programs: [nginx], unnamed: [] }
  await sync(dashboard)
  const before = await web(dashboard)
  agent.web = undefined
  await sync(dashboard)
  expect(await web(dashboard)).toEqual(before)
})

test('the list of an agent that reports thousands is shortened', async ({ agent, dashboard }) => {
  const many = Array.from({ length: 2000 }, (_, at) => unnamed(`*.${at}`))
  agent.web = { programs: [], unnamed: many }
  await sync(dashboard)
  const { unnamed: kept, unnamed_total } = (await web(dashboard)).web
  expect([kept.length, unnamed_total]).toEqual([100, 2000])
})

test('the web servers of a server that does not exist are not found', async ({ dashboard }) => {
  const { status } = await dashboard.call('GET', '/api/servers/99/web')
  expect(status).toBe(404)
})
