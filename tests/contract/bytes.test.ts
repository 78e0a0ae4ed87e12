// tier: core
import { expect, setDefaultTimeout, test } from 'bun:test'
import { useSimulatedServer } from '#tests/support/simulated-server.ts'

const { client, agent } = useSimulatedServer({
  pages: ['one.example', 'two.example', 'three.example'],
})
setDefaultTimeout(300_000)

const creation = (domain: string, user: string) => ({
  command: 'site.create',
  params: { domain, php: '8.2', tier: 'small', tls: 'none', email: 'ann@shop.example', user },
})

/** The bytes of the log of a new site, written without the encoder of the product. */
const created = (domain: string, user: string) => `id: 1
event: log
data: {"message":"Creating the system user ${user}"}

id: 2
event: log
data: {"message":"Creating the folders"}

id: 3
event: log
data: {"message":"Copying WordPress"}

id: 4
event: log
data: {"message":"Creating the database"}

id: 5
event: log
data: {"message":"Installing WordPress"}

id: 6
event: log
data: {"message":"Starting PHP 8.2"}

id: 7
event: log
data: {"message":"Adding the virtual host"}

id: 8
event: log
data: {"message":"Scheduling the jobs of WordPress"}

id: 9
event: log
data: {"message":"Checking the front page"}

id: 10
event: log
data: {"message":"Recording the site"}

id: 11
event: complete
data: {"status":"ok","domain":"${domain}"}

`

const SCAN_OF_AGENT = `id: 1
event: log
data: {"message":"Reading the WordPress of shop.example"}

id: 2
event: complete
data: {"status":"ok","wp_version":"","plugins":[],"themes":[],"core_update":null,"updates":{"plugins":null,"themes":null,"core":null}}

`

const SCAN = `id: 1
event: log
data: {"message":"Reading the WordPress of shop.example"}

id: 2
event: complete
data: {"wp_version":"","plugins":0}

`

const SYNC = `id: 1
event: log
data: {"message":"Connected to the agent of web-1"}

id: 2
event: log
data: {"message":"Read the state of 5 services"}

id: 3
event: log
data: {"message":"Found 1 sites"}

id: 4
event: complete
data: {"status":"ok","sites":1}

`

const withoutPings = (text: string) => text.replaceAll(': ping\n\n', '')
const withoutSteps = (text: string) => text.replaceAll(/id: \d+\nevent: step\n.*\n\n/g, '')

test('a dashboard streams a sync and a scan without steps, byte for byte', async () => {
  const sync = await client().post('/api/servers/1/sync')
  const scan = await client().post('/api/servers/1/wp-scan', { site_id: 1 })

  expect(withoutPings(sync.text)).toBe(SYNC)
  expect(withoutPings(scan.text)).toBe(SCAN)
})

test('an agent streams a new site without steps, byte for byte', async () => {
  const plain = await agent().post('/exec', creation('one.example', 'one'))
  const asked = await agent().post('/exec?steps=true', creation('two.example', 'two'))

  expect(plain.text).toBe(created('one.example', 'one'))
  expect(asked.text).not.toBe(created('two.example', 'two'))
  expect(withoutSteps(asked.text)).toBe(created('two.example', 'two'))
})

test('an agent streams a scan without steps, byte for byte', async () => {
  const scan = await agent().post('/sites/wp-scan', { domain: 'shop.example' })

  expect(scan.text).toBe(SCAN_OF_AGENT)
})

test('a dashboard streams a new site without steps, byte for byte', async () => {
  const site = { ...creation('three.example', '').params, user: undefined }
  const { headers } = await client().post('/api/servers/1/sites', site)
  const path = `/api/operations/${headers.get('operation-id')}/events`
  const plain = withoutPings((await client().get(path)).text)
  const asked = withoutPings((await client().get(`${path}?steps=true`)).text)

  const [, user = ''] = /system user (\w+)"/.exec(plain) ?? []
  expect(plain).toBe(created('three.example', user))
  expect(asked).not.toBe(plain)
  expect(withoutSteps(asked)).toBe(plain)
})
