// tier: core
import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import { rm, stat } from 'node:fs/promises'
import { readConfig } from '#dashboard/config.ts'
import { openRecords } from '#dashboard/open-database.ts'
import { Client } from '#tests/support/client.ts'
import { makeReleased } from '#tests/support/dashboard/filled.ts'
import { LATER } from '#tests/support/dashboard/migrations.ts'
import { contentOf } from '#tests/support/dashboard/records.ts'
import { FakeAgent } from '#tests/support/fake-agent.ts'
import {
  ADMIN,
  type Running,
  runDashboard,
  runRecords,
  startDashboard,
  sweep,
  temporaryFolder,
} from '#tests/support/processes.ts'
import { copyRecords } from '#tests/support/records.ts'
import { lacking, unless } from '#tests/support/skip.ts'

setDefaultTimeout(60_000)

/** Lets the process write no byte beyond the present end of its log; the kernel answers EFBIG. */
const limits = (pid: number, file: string) => ({
  async fill() {
    const { size } = await stat(`${file}-wal`)
    must(['prlimit', '--pid', String(pid), `--fsize=${size}:unlimited`])
  },
  async free() {
    must(['prlimit', '--pid', String(pid), '--fsize=unlimited'])
  },
})

/** Takes all that is left of a small file system. */
const hog = (folder: string) => ({
  async fill() {
    for (let size = 1 << 20; size >= 512; size /= 2)
      for (let turn = 0; turn < 64; turn++)
        if (!(await isWritten(`${folder}/hog-${size}-${turn}`, size))) break
  },
  async free() {
    must(['find', folder, '-name', 'hog-*', '-delete'])
  },
})

unless(lacking({ programs: ['prlimit'] })).describe('a disk that fails', () => {
  afterAll(sweep)

  test('is reported, loses nothing, and work continues when it is repaired', async () => {
    const folder = await temporaryFolder('disk')
    await overcomes(folder, 'The disk of the dashboard fails', (pid) =>
      limits(pid, `${folder}/dashboard.db`),
    )
  })
})

unless(lacking({ root: true, programs: ['mount', 'umount'] })).describe('a small disk', () => {
  const mounted: string[] = []
  const small = async () => {
    const folder = await temporaryFolder('full')
    must(['mount', '-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', folder])
    mounted.push(folder)
    return folder
  }
  afterAll(async () => {
    await sweep().catch(() => undefined)
    for (const folder of mounted) {
      must(['umount', '--lazy', folder])
      await rm(folder, { recursive: true, force: true })
    }
  })

  test('that is full is reported, loses nothing, and work continues when there is space', async () => {
    const folder = await small()
    await overcomes(folder, 'The disk of the dashboard is full', () => hog(folder))
  })

  test('that is full prevents a migration, which needs a backup first', async () => {
    const folder = await small()
    const file = `${folder}/dashboard.db`
    await makeReleased(file)
    const before = contentOf(file)
    await Bun.write(`${folder}/reserve`, new Uint8Array(256 << 10))
    await hog(folder).fill()
    // Enough to open the database, and too little for a copy of it.
    await rm(`${folder}/reserve`)

    const opening = openRecords(readConfig({ DATA_DIR: folder }), LATER)

    await expect(opening).rejects.toThrow(
      /^The database must be updated, .* There is no space left/,
    )
    expect(contentOf(file)).toEqual(before)
  })

  test('that is read-only is reported at the start, which succeeds when it is not', async () => {
    const disk = await small()
    const home = await temporaryFolder('home')
    const env = { DATABASE_URL: `file:${disk}/dashboard.db` }
    await copyRecords(`${disk}/dashboard.db`)
    const first = await startDashboard(home, env)
    await first.kill()
    must(['mount', '-o', 'remount,ro', disk])

    const { code, out, err } = await runDashboard(home, env)

    const line = 'The database cannot be opened (the database of the dashboard is read-only): '
    expect({ code, out, err }).toEqual({ code: 1, out: '', err: expect.stringContaining(line) })
    expect(err.split('\n')).toHaveLength(2)
    must(['mount', '-o', 'remount,rw', disk])
    await (await startDashboard(home, env)).kill()
  })
})

interface Trouble {
  fill(): Promise<void>
  free(): Promise<void>
}

/** An operation is running when the trouble begins, and ends on its server during it. */
async function overcomes(folder: string, message: string, begin: (pid: number) => Trouble) {
  const agent = new FakeAgent()
  const held = Promise.withResolvers<void>()
  agent.works.set('site.create', async function* ({ domain }) {
    yield 'Before'
    await held.promise
    for (let line = 1; line <= 30; line++) yield `${line} ${'x'.repeat(2_000)}`
    return { status: 'ok', domain }
  })
  await copyRecords(`${folder}/dashboard.db`)
  const dashboard = await startDashboard(folder)
  try {
    const client = new Client(dashboard.url)
    await client.login(ADMIN)
    await client.post('/api/servers', { hostname: '127.0.0.1', port: agent.port })
    const creation = await client.post('/api/servers/1/sites', { domain: 'shop.example' })
    const id = creation.headers.get('operation-id') ?? ''
    await until(() => agent.started.get(id) === 1)
    await until(async () => (await eventsOf(client, id, dashboard)).length === 1)
    const trouble = begin(dashboard.pid)

    await trouble.fill()
    held.resolve()
    const refused = await refusedWrite(client)
    const read = await client.get(`/api/operations/${id}`)
    await until(() => dashboard.output.err.includes('operation failed unexpectedly'))
    await trouble.free()

    expect(refused.body).toEqual({
      error: 'Internal error',
      message: expect.stringMatching(new RegExp(`^${message}; the log has more under request id `)),
    })
    expect(read).toMatchObject({ status: 200, body: { operation: { status: 'running' } } })
    const events = await until(async () => {
      const all = await eventsOf(client, id, dashboard)
      return all.length === 32 && all
    })
    expect(events).toEqual(Array.from({ length: 32 }, (_, at) => at + 1))
    expect(agent.started.get(id)).toBe(1)
    const { body } = await client.get(`/api/operations/${id}`)
    expect(body).toMatchObject({ operation: { status: 'success' } })
    expect((await client.post('/api/servers', { hostname: 'b.example.com' })).status).toBe(201)
    await dashboard.kill()
    expect(await runRecords(folder, ['check'])).toEqual({ code: 0, out: 'ok\n', err: '' })
  } finally {
    held.resolve()
    await dashboard.kill()
    await agent.stop()
  }
}

/** What is left on the disk may be enough for one more. */
function refusedWrite(client: Client) {
  let turn = 0
  return until(async () => {
    turn += 1
    const answer = await client.post('/api/servers', {
      hostname: `a${turn}.example.com`,
      tags: Array.from({ length: 20 }, (_, at) => `tag ${at} of 32 characters at most.`),
    })
    return answer.status === 500 && answer
  })
}

/** The numbers of the events that are stored. */
async function eventsOf(client: Client, id: string, { url }: Running): Promise<number[]> {
  const stop = new AbortController()
  const response = await fetch(`${url}/api/operations/${id}/events`, {
    headers: { cookie: client.cookie ?? '' },
    signal: stop.signal,
  })
  let text = ''
  const late = setTimeout(() => stop.abort(), 300)
  try {
    for await (const chunk of response.body ?? []) text += new TextDecoder().decode(chunk)
  } catch {
    // Cut off: what came until then counts.
  }
  clearTimeout(late)
  return [...text.matchAll(/^id: (\d+)$/gm)].map(([, number]) => Number(number))
}

async function until<T>(look: () => Promise<T | false> | T | false): Promise<T> {
  for (const end = Date.now() + 30_000; Date.now() < end; await Bun.sleep(20)) {
    const value = await look()
    if (value !== false) return value
  }
  throw new Error('It did not come to pass within 30 seconds')
}

async function isWritten(path: string, size: number): Promise<boolean> {
  return Bun.write(path, new Uint8Array(size)).then(
    (written) => written === size,
    () => false,
  )
}

function must(argv: string[]): void {
  const { exitCode, stderr } = Bun.spawnSync(argv)
  if (exitCode !== 0) throw new Error(`${argv.join(' ')}: ${stderr.toString()}`)
}
