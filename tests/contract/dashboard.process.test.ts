// tier: core
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { chmod, mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildDashboard } from '#scripts/build-dashboard.ts'
import { EMAIL, PASSWORD, until } from '#tests/support/dashboard/dashboard.ts'
import { Process } from '#tests/support/dashboard/process.ts'
import { FakeAgent } from '#tests/support/fake-agent.ts'
import { copyRecords } from '#tests/support/records.ts'

let folder = ''
let turn = 0
let built = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'process-'))
  built = (await buildDashboard(join(import.meta.dir, '../..'))).file
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const admin = { ADMIN_EMAIL: EMAIL, ADMIN_PASSWORD: PASSWORD }
const fresh = () => join(folder, String(++turn))
const used = async () => {
  const DATA_DIR = fresh()
  await mkdir(DATA_DIR)
  await copyRecords(`${DATA_DIR}/dashboard.db`)
  return DATA_DIR
}
const modeOf = async (path: string) => ((await stat(path)).mode & 0o777).toString(8)

describe('a first start', () => {
  test('prints a working login once, and reveals no other secret', async () => {
    const DATA_DIR = fresh()
    await using first = new Process({ DATA_DIR })
    const url = await first.url()
    const [email, password] = first.stdout.map((line) => line.split(': ')[1])
    const login = await first.send('POST', '/api/auth/login', { email, password })
    first.kill('SIGTERM')
    await first.exit()
    const files = (await readdir(DATA_DIR)).map((name) => Bun.file(join(DATA_DIR, name)).text())
    const kept = await Promise.all(files)
    await using second = new Process({ DATA_DIR })
    await second.url()

    expect(first.stdout).toEqual([
      'first login: admin@example.com',
      expect.stringMatching(/^password: [\w-]{24}$/),
      `listening on ${url}`,
    ])
    expect(login.status).toBe(200)
    expect(second.stdout).toEqual([`listening on ${await second.url()}`])
    expect(kept.filter((text) => text.includes(String(password)))).toEqual([])
    expect(await modeOf(DATA_DIR)).toBe('700')
    expect(await modeOf(`${DATA_DIR}/jwt-secret`)).toBe('600')
  })
})

test('a first start as a service keeps the login out of its journal and shows it once on request', async () => {
  const DATA_DIR = fresh()
  // As systemd starts it: standard output is what JOURNAL_STREAM names.
  const journal = join(folder, 'journal')
  const start = 'JOURNAL_STREAM=$(stat -Lc %d:%i /proc/$$/fd/1) exec "$@"'
  const service = Bun.spawn(['/bin/sh', '-c', start, 'sh', built], {
    env: { PATH: '/usr/bin:/bin', DATA_DIR, PORT: '0' },
    stdout: Bun.file(journal),
    stderr: 'ignore',
  })
  while (!(await Bun.file(journal).text()).includes('listening')) await Bun.sleep(20)
  const take = async () => {
    const command = Bun.spawn([built, 'first-login'], { env: { DATA_DIR }, stderr: 'ignore' })
    return { printed: await new Response(command.stdout).text(), status: await command.exited }
  }
  const mode = await modeOf(`${DATA_DIR}/first-login`)
  const [shown, again] = [await take(), await take()]
  service.kill()
  await service.exited

  const printed = (await Bun.file(journal).text()).split('\n')
  expect(printed[0]).toBe(`the first login is in ${DATA_DIR}/first-login`)
  expect(printed[1]).toStartWith('listening on http://127.0.0.1:')
  expect(mode).toBe('600')
  expect(shown.printed).toMatch(
    /^first login: admin@example.com\npassword: [\w-]{24}\nit is shown only once/,
  )
  expect(again).toEqual({ printed: '', status: 1 })
})

describe('a failed start', () => {
  const refused = (environment: Record<string, string>) => new Process(environment, [built]).exit()

  test('with a bad environment value ends with 2 and one line', async () => {
    const { status, stderr } = await refused({ DATA_DIR: fresh(), PORT: 'http' })

    expect({ status, stderr }).toEqual({
      status: 2,
      stderr: 'PORT: must be a port number between 0 and 65535\n',
    })
  })

  test('on a taken port ends with 1 and says what to do', async () => {
    await using agent = new FakeAgent()
    const taken = { DATA_DIR: fresh(), PORT: String(agent.port), ...admin }

    const { status, stderr } = await refused(taken)

    expect(status).toBe(1)
    expect(stderr).toBe(
      `Cannot listen on 127.0.0.1:${agent.port} (EADDRINUSE): ` +
        'stop what listens there, or set HOST and PORT to a free address\n',
    )
  })

  test('without a database ends with 1 and says what to do', async () => {
    const DATABASE_URL = 'http://127.0.0.1:1'

    const { status, stderr } = await refused({ DATA_DIR: fresh(), DATABASE_URL })

    expect(status).toBe(1)
    expect(stderr).toMatch(/^The database cannot be opened \(.*\): check DATABASE_URL .*\n$/)
  })

  test('in a folder that is a file ends with 1 and says what to do', async () => {
    const DATA_DIR = fresh()
    await Bun.write(DATA_DIR, '')
    await chmod(DATA_DIR, 0o600)

    const { status, stderr } = await refused({ DATA_DIR })

    expect(status).toBe(1)
    expect(stderr).toMatch(/^DATA_DIR .* cannot be used \(\w+\): make it writable .*\n$/)
  })
})

test('SIGTERM ends it with 0, open streams and a silent agent or not', async () => {
  await using agent = new FakeAgent()
  await using running = new Process({ DATA_DIR: await used() })
  await running.signIn()
  await running.send('POST', '/api/servers', { hostname: '127.0.0.1', port: agent.port })
  await until(async () => {
    const response = await running.send('GET', '/api/fleet/servers/1')
    return (await response.json()).server.status === 'online'
  })
  agent.answers.set('/sites', () => new Promise(() => undefined))
  const stream = await running.send('POST', '/api/servers/1/sync')

  running.kill('SIGTERM')
  const { status } = await running.exit()

  expect(stream.status).toBe(200)
  expect(status).toBe(0)
  // Half a minute is what an answer of an agent may take.
}, 25_000)
