// tier: core
import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { Client } from '#tests/support/client.ts'
import { useSimulatedServer } from '#tests/support/simulated-server.ts'

const { client, running, agent } = useSimulatedServer()
setDefaultTimeout(300_000)

/** Times and the port differ in each run. */
const fixed = (text: string) =>
  text
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g, 'TIME')
    .replaceAll(/"port":\d+/g, '"port":0')

const SITE = { php: '8.2', tier: 'small', tls: 'none', email: 'ann@shop.example' }
const POOL = { user: 'shop', php_version: '8.2' }
const OTHER = { hostname: '127.0.0.1', port: 1, user: 'root', tags: [] }

/** The bytes of an answer, written without any code of the product. */
type Row = [call: string, body: object | undefined, status: number, text: string]

const READ: Row[] = [
  [
    'GET /api/servers',
    undefined,
    200,
    '{"servers":[{"id":1,"name":"web-1","hostname":"127.0.0.1","port":0,"tags":["eu","web"],"os":"Debian GNU/Linux 12","version":"0.0.0","sites_count":1,"user":"root","last_sync":"TIME"}]}',
  ],
  [
    'GET /api/servers/1',
    undefined,
    200,
    '{"server":{"id":1,"name":"web-1","hostname":"127.0.0.1","port":0,"tags":["eu","web"],"os":"Debian GNU/Linux 12","version":"0.0.0","sites_count":1,"metrics":{"cpu":0,"ram":{"used":8192,"total":8192,"unit":"MB"}}}}',
  ],
  ['GET /api/servers/9', undefined, 404, '{"error":"Not found","message":"Server not found"}'],
  [
    'GET /api/servers/1/sites',
    undefined,
    200,
    '{"sites":[{"id":1,"domain":"shop.example","user":"shop","php":"8.2","tier":"small","tls":"none","wp_version":"","updates":{"plugins":0,"themes":0,"core":false}}]}',
  ],
  [
    'GET /api/servers/1/sites/1',
    undefined,
    200,
    '{"site":{"id":1,"domain":"shop.example","user":"shop","php":"8.2","tier":"small","tls":"none","wp_version":"","docroot":"/srv/www/shop/public","framework":"php","db_name":"shop","created_at":"TIME"}}',
  ],
  [
    'GET /api/servers/1/sites/9',
    undefined,
    404,
    '{"error":"Not found","message":"Site not found"}',
  ],
  [
    'GET /api/settings',
    undefined,
    200,
    '{"settings":{"default_php":"8.2","sync_interval":60,"email_notifications":true}}',
  ],
  [
    'GET /api/activity?type=server.create',
    undefined,
    200,
    '{"activities":[{"id":2,"type":"server.create","domain":"127.0.0.1","status":"success","created_at":"TIME"}],"total":1}',
  ],
]

const WRITE: Row[] = [
  [
    'POST /api/servers',
    { name: 'b' },
    422,
    '{"error":"Validation failed","fields":{"hostname":["Hostname is required"]}}',
  ],
  [
    'POST /api/servers',
    { name: 'b', ...OTHER },
    201,
    '{"server":{"id":2,"name":"b","status":"pending"}}',
  ],
  [
    'PATCH /api/servers/1',
    { name: 'a', tags: ['eu'] },
    200,
    '{"server":{"id":1,"name":"a","tags":["eu"]}}',
  ],
  [
    'POST /api/servers/2/sync',
    undefined,
    503,
    '{"error":"Agent offline","message":"The agent on 127.0.0.1:1 refused the connection"}',
  ],
  [
    'POST /api/servers/1/sites',
    { domain: 'shop.example', ...SITE },
    422,
    '{"error":"Validation failed","fields":{"domain":["The domain is already taken"]}}',
  ],
  [
    'POST /api/servers/1/wp-scan',
    { site_id: 9 },
    404,
    '{"error":"Not found","message":"Site not found"}',
  ],
  [
    'POST /api/servers/1/pool-apply',
    { ...POOL, tier: 'medium' },
    200,
    '{"status":"ok","message":"Applied tier medium to the PHP 8.2 pool of shop"}',
  ],
  [
    'POST /api/servers/1/pool-apply',
    { ...POOL, tier: 'huge' },
    422,
    '{"error":"Validation failed","fields":{"tier":["Must be small, medium or large"]}}',
  ],
  [
    'PUT /api/settings/sync_interval',
    { value: 90 },
    200,
    '{"key":"sync_interval","value":90,"updated":true}',
  ],
  [
    'PUT /api/settings/sync_interval',
    { value: 0 },
    422,
    '{"error":"Validation failed","fields":{"value":["Must be a positive integer"]}}',
  ],
  [
    'POST /api/servers/1/sites',
    { domain: 'new.example', ...SITE },
    201,
    '{"site":{"id":2,"domain":"new.example","status":"provisioning"}}',
  ],
]

const AGENT: Row[] = [
  ['GET /health', undefined, 200, '{"status":"ok"}'],
  [
    'POST /exec',
    { command: 'site.explode', params: {} },
    400,
    '{"error":"Bad request","message":"Unknown command: site.explode"}',
  ],
  [
    'POST /sites/db-password',
    { domain: 'other.example' },
    404,
    '{"error":"Not found","message":"Site other.example not found"}',
  ],
]

async function answer(to: Client, call: string, body: object | undefined) {
  const [method = '', path = ''] = call.split(' ')
  const { status, text } = await to.send({ method, path, ...(body && { body }) })
  return [status, fixed(text)]
}

describe('a dashboard answers with exactly these bytes', () => {
  test.each([...READ, ...WRITE])('%s %j', async (call, body, status, text) => {
    expect(await answer(client(), call, body)).toEqual([status, text])
  })

  test('without a session', async () => {
    const stranger = new Client(running().url)
    const login = { email: 'nobody@example.com', password: 'wrong' }

    expect(await answer(stranger, 'GET /api/servers', undefined)).toEqual([
      401,
      '{"error":"Unauthorized"}',
    ])
    expect(await answer(stranger, 'POST /api/auth/login', login)).toEqual([
      401,
      '{"error":"Unauthorized","message":"Invalid email or password"}',
    ])
  })
})

test.each(AGENT)(
  'an agent answers with exactly these bytes: %s %j',
  async (call, body, status, text) => {
    expect(await answer(agent(), call, body)).toEqual([status, text])
  },
)
