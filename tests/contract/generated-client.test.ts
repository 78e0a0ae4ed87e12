// tier: core
import { afterAll, beforeAll, expect, mock, test } from 'bun:test'
import { mkdtemp, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ADMIN } from '#tests/support/processes.ts'
import { useAgent, useDashboard } from '#tests/support/running.ts'

/**
 * Generates the client of an OpenAPI document with @hey-api/openapi-ts into a folder. It needs the
 * API of a TypeScript before 7, which replaces ours for it.
 */
async function generateClient(document: string, folder: string): Promise<void> {
  await mock.module('typescript', () => import('@typescript/typescript6'))
  const { createClient } = await import('@hey-api/openapi-ts')
  await createClient({ input: document, output: folder, logs: { level: 'silent', file: false } })
}

const ROOT = join(import.meta.dir, '../..')
const { client, running } = useDashboard()
const agent = useAgent('the executable')
let folder = ''

/** What a stranger would write who has the OpenAPI document and nothing else of ours. */
const PROGRAM = `
import { createServer, listServers, login, syncServer } from './client'
import { client } from './client/client.gen'
import type { ServerCreated } from './client'

const [baseUrl = '', email = '', password = '', port = ''] = process.argv.slice(2)
client.setConfig({ baseUrl })

const wrong = await login({ body: { email, password: 'not the password' } })
const signedIn = await login({ body: { email, password } })
const cookie = signedIn.response?.headers.getSetCookie()[0]?.split(';')[0]
client.setConfig({ headers: { cookie } })

const refused = await createServer({ body: { hostname: 'not a hostname' } })
const created = await createServer({ body: { hostname: '127.0.0.1', port: Number(port) } })
const server: ServerCreated | undefined = created.data?.server
if (!server) throw new Error('No server was created')

const synced = await syncServer({ path: { server_id: server.id } })
const lines: string[] = []
let sites: number | undefined
for await (const data of synced.stream) {
  if ('sites' in data) sites = data.sites
  else if ('message' in data) lines.push(data.message ?? '')
}

console.log(JSON.stringify({
  wrong: wrong.error,
  user: signedIn.data?.user,
  refused: refused.error,
  server,
  logged: lines.length > 0,
  sites,
  servers: (await listServers()).data?.servers.map(({ hostname }) => hostname),
}))
`

async function run(argv: string[]): Promise<{ status: number; text: string }> {
  const child = Bun.spawn(argv, { cwd: folder, stdout: 'pipe', stderr: 'inherit' })
  return { text: await new Response(child.stdout).text(), status: await child.exited }
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'generated-client-'))
  const { text } = await client().get('/api/openapi.json')
  await Bun.write(join(folder, 'openapi.json'), text)
  await generateClient(join(folder, 'openapi.json'), join(folder, 'client'))
  await Bun.write(join(folder, 'program.ts'), PROGRAM)
  await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
}, 60_000)
afterAll(() => rm(folder, { recursive: true, force: true }))

test('a client that a public tool generates from the OpenAPI document compiles', async () => {
  const options = ['--noEmit', '--strict', '--skipLibCheck', '--target', 'esnext']
  const modules = ['--module', 'preserve', '--moduleResolution', 'bundler', '--types', 'bun-types']

  const compiled = await run([
    process.execPath,
    join(ROOT, 'node_modules/typescript/bin/tsc'),
    ...options,
    ...modules,
    'program.ts',
  ])

  expect(compiled).toEqual({ text: '', status: 0 })
})

test('it logs in, creates a server and reads a stream to its end', async () => {
  const { email, password } = ADMIN
  const port = String(agent.running().port)

  const { text, status } = await run([
    process.execPath,
    'program.ts',
    running().url,
    email,
    password,
    port,
  ])

  expect(status).toBe(0)
  expect(JSON.parse(text)).toEqual({
    wrong: { error: 'Unauthorized', message: 'Invalid email or password' },
    user: { id: 1, email, name: expect.any(String) },
    refused: {
      error: 'Validation failed',
      fields: { hostname: ['Must be a DNS name or an IP address'] },
    },
    server: { id: 1, name: '127.0.0.1', status: 'pending' },
    logged: true,
    sites: 0,
    servers: ['127.0.0.1'],
  })
})
