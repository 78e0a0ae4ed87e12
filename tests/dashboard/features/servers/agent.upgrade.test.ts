import { afterAll, beforeAll, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeDashboard } from '#tests/support/dashboard/dashboard.ts'
import { FakeAgent } from '#tests/support/fake-agent.ts'

const sha256 = createHash('sha256').update('program').digest('hex')
let builds_dir = ''
beforeAll(async () => {
  builds_dir = await mkdtemp(join(tmpdir(), 'builds-'))
  await Bun.write(join(builds_dir, 'hosting-agent-linux-arm64-musl'), 'program')
})
afterAll(() => rm(builds_dir, { recursive: true, force: true }))

function machine(name: string): FakeAgent {
  const agent = new FakeAgent()
  const build = { version: '0.0.1', machine: name }
  agent.answers.set('/build', () => Response.json(build))
  return agent
}

test('sends the agent the build for its machine, and records the new version', async () => {
  await using agent = machine('linux-arm64-musl')
  await using dashboard = await makeDashboard({ builds_dir, public_url: 'https://c.example' })
  const id = await dashboard.addServer(agent)
  const given: unknown[] = []
  agent.works.set('agent.upgrade', async function* (params) {
    given.push(params)
    yield 'Restarting'
    return { status: 'ok', version: '9.9.9' }
  })

  const response = await dashboard.send('POST', `/api/servers/${id}/upgrade`)

  expect(await response.text()).toContain('data: {"status":"ok","version":"9.9.9"}')
  expect(given).toEqual([{ url: 'https://c.example/agent/linux-arm64-musl.gz', sha256 }])
  const { body } = await dashboard.call('GET', `/api/servers/${id}`)
  expect(body.server.version).toBe('9.9.9')
})

test('sends the signature of a signed build', async () => {
  const path = join(builds_dir, 'hosting-agent-linux-arm64')
  const manifest = `{"sha256":"${sha256}"}\n`
  await Bun.write(path, 'program')
  await Bun.write(`${path}.manifest.json`, manifest)
  await Bun.write(`${path}.manifest.json.sig`, 'signature\n')
  await using agent = machine('linux-arm64')
  await using dashboard = await makeDashboard({ builds_dir, public_url: 'https://c.example' })
  const id = await dashboard.addServer(agent)
  const given: unknown[] = []
  agent.works.set('agent.upgrade', async function* (params) {
    given.push(params)
    yield 'Restarting'
    return { status: 'ok', version: '9.9.9' }
  })

  await (await dashboard.send('POST', `/api/servers/${id}/upgrade`)).text()

  const url = 'https://c.example/agent/linux-arm64.gz'
  expect(given).toEqual([{ url, sha256, manifest, signature: 'signature' }])
})

test('an agent that cannot replace itself is named as the reason', async () => {
  await using agent = new FakeAgent()
  agent.metrics = { ...agent.metrics, protocol: undefined }
  await using dashboard = await makeDashboard({ builds_dir })
  const id = await dashboard.addServer(agent)

  const answer = await dashboard.call('POST', `/api/servers/${id}/upgrade`)

  expect(answer).toEqual({
    status: 409,
    body: {
      error: 'Conflict',
      code: 'upgrade_needed',
      message:
        'The agent of this server cannot replace itself: install the agent of this dashboard on the server',
    },
  })
})

test('refuses a busy server and a machine without a build', async () => {
  await using agent = machine('linux-riscv64')
  await using dashboard = await makeDashboard({ builds_dir })
  const id = await dashboard.addServer(agent)
  const path = `/api/servers/${id}/upgrade`
  const message = 'There is no build of the agent for linux-riscv64'
  const ask = () => dashboard.call('POST', path)

  expect(await ask()).toEqual({ status: 409, body: { error: 'Conflict', message } })

  agent.works.set('site.create', async function* () {
    yield 'Creating'
    await new Promise(() => undefined)
    return {}
  })
  await dashboard.call('POST', `/api/servers/${id}/sites`, { domain: 'shop.example' })
  expect((await ask()).body.message).toBe('An operation of the server is running: site.create')
})
