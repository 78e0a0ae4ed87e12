// tier: gate
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { eq, getTableColumns } from 'drizzle-orm'
import type { SQLiteTable } from 'drizzle-orm/sqlite-core'
import { z } from 'zod'
import { servers, sites } from '#dashboard/kernel/db/schema.ts'
import { takesDryRun } from '#dashboard/kernel/http/route.ts'
import { ROUTES } from '#dashboard/routes.ts'
import { addSite } from '#tests/support/dashboard/backup-fleet.ts'
import { hasStatus, start } from '#tests/support/dashboard/bulk.ts'
import { type Dashboard, makeDashboard, PASSWORD } from '#tests/support/dashboard/dashboard.ts'
import { FakeAgent } from '#tests/support/fake-agent.ts'
import { document } from '#tests/support/openapi/validator.ts'
import { ANNA } from '#tests/support/ssh-keys.ts'

/** The calls of the contract, which ignore unknown fields. */
const CONTRACT = [
  'POST /api/auth/login',
  'GET /api/servers',
  'POST /api/servers',
  'GET /api/servers/:server_id',
  'PATCH /api/servers/:server_id',
  'POST /api/servers/:server_id/sync',
  'GET /api/servers/:server_id/sites',
  'POST /api/servers/:server_id/sites',
  'GET /api/servers/:server_id/sites/:site_id',
  'POST /api/servers/:server_id/wp-scan',
  'POST /api/servers/:server_id/pool-apply',
  'GET /api/activity',
  'GET /api/settings',
  'PUT /api/settings/:key',
]

const changes = ROUTES.filter(({ at }) => !at.startsWith('GET '))
const ats = (routes: typeof changes): [string][] => routes.map(({ at }) => [at])
const strict = ROUTES.filter(({ at }) => !CONTRACT.includes(at))

let agent: FakeAgent
let dashboard: Dashboard
beforeAll(async () => {
  agent = new FakeAgent()
  dashboard = await makeDashboard()
  const server = await dashboard.addServer(agent)
  await addSite(dashboard, server, { domain: 'shop.example' })
  await dashboard.call('POST', '/api/people', { name: 'Anna' })
  await dashboard.call('POST', '/api/people/1/keys', { key: ANNA })
  await dashboard.call('POST', '/api/auth/tokens', { name: 'script', password: PASSWORD })
  const id = await start(dashboard, { type: 'site.scan', params: {}, targets: { site_ids: [1] } })
  // The agent does not know the command: a bulk operation that failed can be retried.
  await hasStatus(dashboard, id, 'failed')
  const { operations } = (await dashboard.call('GET', '/api/operations')).body
  Object.assign(NAMES, { bulk_id: id, operation_id: operations[0].id })
})
afterAll(async () => {
  await dashboard[Symbol.asyncDispose]()
  await agent.stop()
})

/** Every row of the records, and the operations that the agent received. */
async function everything(): Promise<unknown> {
  const tables = await dashboard.db.read.all<{ name: string }>(
    "select name from sqlite_master where type = 'table' order by name",
  )
  const rows = await Promise.all(
    tables.map(async ({ name }) => [name, await dashboard.db.read.all(`select * from "${name}"`)]),
  )
  return { rows, started: [...agent.started] }
}

/** The example of the body in the OpenAPI document. */
function bodyOf(at: string): Record<string, unknown> {
  const [method = '', path = ''] = at.split(' ')
  const described = Object(document.paths[path.replace(/:(\w+)/g, '{$1}')])[method.toLowerCase()]
  const { dry_run: _, ...example } = described.requestBody.content['application/json'].example
  return example
}

/** The names of objects that exist; every other one is 1. */
const NAMES: Record<string, string> = { key: 'sync_interval' }
const pathOf = (at: string) => at.replace(/:(\w+)/g, (_, name) => NAMES[name] ?? '1')

async function send(at: string, body: unknown, query = '') {
  const [method = '', path = ''] = at.split(' ')
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const { status, body: answer } = await dashboard.call(method, pathOf(path) + query, text, {
    'content-type': 'application/json',
  })
  return { status, answer }
}

const NOT_AN_OBJECT = {
  status: 400,
  answer: { error: 'Bad request', message: 'The body must be a JSON object' },
}

test('only the calls of the contract ignore unknown fields', () => {
  const open = ROUTES.filter(({ ignores_unknown }) => ignores_unknown)
  const openBodies = ROUTES.filter(
    ({ body }) => body instanceof z.ZodObject && body.def.catchall === undefined,
  )

  expect(open.map(({ at }): string => at).toSorted()).toEqual(CONTRACT.toSorted())
  expect(openBodies.every(({ at }) => CONTRACT.includes(at))).toBe(true)
})

/** What the tests below do not find, and so cannot tell from a call that ignores what it is sent. */
test('almost every call finds what its path names', async () => {
  const missing: string[] = []
  for (const at of changes.map(({ at }) => at))
    if ((await send(at, {}, '?dry_run=perhaps')).status === 404) missing.push(at)

  expect(missing).toEqual([
    'PATCH /api/identity-providers/:provider_key',
    'DELETE /api/identity-providers/:provider_key',
    'POST /api/identity-providers/:provider_key/test',
    'PATCH /api/backup-targets/:target_id',
    'DELETE /api/backup-targets/:target_id',
    'PATCH /api/dns-accounts/:account_id',
    'DELETE /api/dns-accounts/:account_id',
  ])
})

describe('a call that changes something', () => {
  test.each(ats(changes))('%s takes no other body than an object', async (at) => {
    const before = await everything()
    const answers = []
    for (const body of ['"text"', '[]', '[{}]', '7', 'null', 'true'])
      answers.push(await send(at, body))

    expect(answers).toEqual(Array(6).fill(NOT_AN_OBJECT))
    expect(await everything()).toEqual(before)
  })

  test.each(ats(changes.filter((route) => !takesDryRun(route))))(
    '%s refuses to plan',
    async (at) => {
      const before = await everything()
      const found = (await send(at, {}, '?dry_run=true')).status !== 404

      const answers = [
        await send(at, {}, '?dry_run=true'),
        await send(at, '', '?dry_run=false'),
        await send(at, { dry_run: true }),
        await send(at, { dry_run: 'perhaps' }),
      ]

      const refused = { error: 'Validation failed', fields: { dry_run: ['This call has no plan'] } }
      for (const { status, answer } of found ? answers : [])
        expect({ status, answer }).toEqual({ status: 422, answer: refused })
      expect(await everything()).toEqual(before)
    },
  )

  test.each(ats(changes.filter(takesDryRun)))(
    '%s plans, or refuses, and changes nothing',
    async (at) => {
      const body = bodyOf(at)
      const before = await everything()

      const asked = [
        await send(at, body, '?dry_run=true'),
        await send(at, { ...body, dry_run: true }),
        await send(at, { ...body, dry_run: true }, '?dry_run=true'),
      ]
      const refused = [
        await send(at, { ...body, dry_run: false }, '?dry_run=true'),
        await send(at, { ...body, dry_run: true }, '?dry_run=false'),
        await send(at, body, '?dry_run=true&dry_run=false'),
        await send(at, body, '?dry_run=perhaps'),
        await send(at, { ...body, dry_run: 'true' }),
      ]

      const found = asked[0]?.status !== 404
      expect(asked.map(({ status }) => status)).toEqual(asked.map(() => asked[0]?.status ?? 0))
      expect([200, 404, 409, 422]).toContain(asked[0]?.status ?? 0)
      for (const { status, answer } of found ? refused : [])
        expect({ status, fields: Object.keys(answer.fields ?? {}) }).toEqual({
          status: 422,
          fields: expect.arrayContaining(['dry_run']),
        })
      expect(await everything()).toEqual(before)
    },
  )
})

describe('an unknown field', () => {
  test.each(ats(strict))('is refused by %s, by its name', async (at) => {
    const isReading = at.startsWith('GET ')
    const before = await everything()

    const answers = [
      await send(at, isReading ? undefined : {}, '?dryrun=true'),
      ...(isReading ? [] : [await send(at, { dryrun: true })]),
    ]

    for (const { status, answer } of answers.filter((each) => each.status !== 404))
      expect([status, answer.fields?.dryrun]).toEqual([422, ['Unknown field']])
    expect(await everything()).toEqual(before)
  })
})

/** The columns of a table that the body of a call does not name, each with a value of its type. */
function others(table: SQLiteTable, body: z.ZodType): Record<string, unknown> {
  const named = Object.keys(body instanceof z.ZodObject ? body.shape : {})
  const columns = Object.entries(getTableColumns(table)).filter(([name]) => !named.includes(name))
  return Object.fromEntries(
    columns.map(([name, { dataType }]) => [name, dataType === 'number' ? 77 : 'forged']),
  )
}

const bodyAt = (at: string) => ROUTES.find((route) => route.at === at)?.body ?? z.never()

test('the calls of the contract, which ignore unknown fields, store none of them', async () => {
  const [create, change] = ['POST /api/servers', 'PATCH /api/servers/:server_id']
  const forged = others(servers, bodyAt(create))
  const rowOf = async (id: number) =>
    (await dashboard.db.read.select().from(servers).where(eq(servers.id, id)))[0]
  const made = async (more: object) =>
    (await dashboard.call('POST', '/api/servers', { hostname: 'web.example', ...more })).body.server
      .id
  const plain = await made({})
  const attacked = await made(forged)
  const before = await rowOf(attacked)
  await dashboard.call('PATCH', `/api/servers/${attacked}`, {
    ...others(servers, bodyAt(change)),
    name: before?.name,
  })
  const after = await rowOf(attacked)
  const path = `/api/servers/${attacked}/sites`
  const site = { domain: 'new.example', tls: 'none' }
  const forgedSite = others(sites, bodyAt('POST /api/servers/:server_id/sites'))
  const { status } = await dashboard.call('POST', path, { ...site, ...forgedSite })
  const [stored] = await dashboard.db.read
    .select()
    .from(sites)
    .where(eq(sites.domain, 'new.example'))

  expect(Object.keys(forged)).toContain('status')
  expect(attacked).not.toBe(77)
  expect<unknown>(before).toEqual({
    ...(await rowOf(plain)),
    id: attacked,
    created_at: before?.created_at,
  })
  expect(after).toEqual(before)
  expect(status).toBe(201)
  expect(stored?.server_id).toBe(attacked)
  expect(
    Object.values(stored ?? {}).filter((value) => [77, 'forged'].includes(value as never)),
  ).toEqual([])
})
