// tier: core
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort, type Script, startScript, untilReady } from '#tests/support/start-script.ts'

let env: { DATA_DIR: string; AGENT_STATE_DIR: string; PORT: string; AGENT_PORT: string }
const running: Script[] = []

beforeAll(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'start-'))
  env = {
    DATA_DIR: join(folder, 'data'),
    AGENT_STATE_DIR: join(folder, 'agent'),
    PORT: String(await freePort()),
    AGENT_PORT: String(await freePort()),
  }
})

afterAll(async () => {
  await Promise.all(running.map((script) => script.end('SIGKILL')))
  await rm(join(env.DATA_DIR, '..'), { recursive: true, force: true })
})

function start(args: readonly string[] = [], more: Record<string, string> = {}): Script {
  const script = startScript({ ...env, ...more }, args)
  running.push(script)
  return script
}

async function servers(password: string): Promise<unknown[]> {
  const base = `http://127.0.0.1:${env.PORT}`
  const body = JSON.stringify({ email: 'admin@example.com', password })
  const headers = { 'content-type': 'application/json' }
  const login = await fetch(`${base}/api/auth/login`, { method: 'POST', headers, body })
  const cookie = login.headers.getSetCookie()[0]?.split(';')[0] ?? ''
  const answer = await fetch(`${base}/api/servers`, { headers: { cookie } })
  return ((await answer.json()) as { servers: unknown[] }).servers
}

let script: Script
let password = ''

test('starts everything, registers this machine and shows the login', async () => {
  script = start()

  const printed = await untilReady(script)

  password = printed.match(/ password: (\S+)/)?.[1] ?? ''
  expect(printed).toContain(`Hosting Control is running: http://127.0.0.1:${env.PORT}\n`)
  expect(printed).toContain('  login:    admin@example.com\n')
  expect(printed).toMatch(/machine: {2}registered, \d+ sites?\n/)
  expect(printed).not.toContain('"level":"info"')
  expect(await servers(password)).toEqual([
    expect.objectContaining({ hostname: '127.0.0.1', port: Number(env.AGENT_PORT) }),
  ])
  expect((await stat(join(env.DATA_DIR, 'start-token'))).mode & 0o777).toBe(0o600)
}, 90_000)

test('says that it runs already', async () => {
  const again = start()

  expect(await again.ended).toBe(0)
  expect(again.output()).toContain('Hosting Control is running already')
})

test('says what to do when another dashboard uses the port', async () => {
  const other = start([], { DATA_DIR: join(env.DATA_DIR, 'other') })

  expect(await other.ended).toBe(1)
  expect(other.output()).toMatch(/^error: another dashboard runs at .*PORT=\d+.*\n$/)
})

test('stops both programs on Ctrl-C', async () => {
  const children = script.children()

  expect(await script.end('SIGINT')).toBe(0)

  expect(children).toHaveLength(2)
  expect(children.filter(isAlive)).toEqual([])
})

test('starts again with the same data and without the password', async () => {
  script = start()

  const printed = await untilReady(script)

  expect(printed).not.toContain('password')
  expect(printed).toContain('registered')
  expect(await servers(password)).toHaveLength(1)
}, 90_000)

test('stops the dashboard when the agent dies, and says so', async () => {
  const [agent = 0, dashboard = 0] = script.children()

  process.kill(agent, 'SIGKILL')

  expect(await script.ended).toBe(1)
  expect(script.output()).toEndWith('error: the agent ended (signal SIGKILL)\n')
  expect(isAlive(dashboard)).toBe(false)
})

test.each(['PORT', 'AGENT_PORT'])('names %s when its port is in use', async (name) => {
  const blocker = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response('') })
  try {
    const blocked = start([], { [name]: String(blocker.port) })

    expect(await blocked.ended).toBe(1)
    expect(blocked.output()).toBe(
      `error: port ${blocker.port} is in use by another program: choose one with ${name}=${Number(blocker.port) + 1}\n`,
    )
  } finally {
    await blocker.stop(true)
  }
})

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
