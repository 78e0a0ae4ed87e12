// tier: core
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readFile, writeFile } from 'node:fs/promises'
import type { SignedAgent } from '#tests/support/attack.ts'
import { rawRequest, sendRaw } from '#tests/support/client.ts'
import { type Halves, startHalves } from '#tests/support/halves.ts'
import { poll } from '#tests/support/lab/wait.ts'
import { runtimesOf, sweep } from '#tests/support/processes.ts'
import { strangersAt } from '#tests/support/strangers.ts'

/** Deno lets go of closed TLS connections slowly; the executable is what servers run. */
const HOSTILE = { 'the executable': 2000, 'deno run': 400 }
/** The memory limit of the process that listens, in MB: what systemd gives it (MemoryMax=). */
const BUDGET_MB = 256
const NOT_OPEN = { error: 'Forbidden', message: 'No enrolment is open: run hosting-agent enrol' }

/** What the process has of the memory, in MB. */
async function residentOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024
}

async function openEnrolment({ state, hub }: SignedAgent): Promise<void> {
  const until = Math.floor(Date.now() / 1000) + 600
  const pending = { server_id: 7, kid: hub.kid, public_key: 'x', code_key: 'x', until, answers: 1 }
  await writeFile(`${state}/trust/enrolment.json`, JSON.stringify(pending), { mode: 0o644 })
}

describe.each(runtimesOf('agent.strangers'))('strangers at the port: %s', (runtime) => {
  let halves: Halves
  beforeAll(async () => {
    halves = await startHalves(runtime)
  }, 60_000)
  afterAll(sweep)

  test('refuses a request to a closed enrolment before its body arrives', async () => {
    const { url } = halves.front
    const request = rawRequest('POST', '/enrol', ['Host: x', 'Content-Length: 1000000'])

    const { status, body } = await sendRaw(url, request, 5000)

    expect({ status, body }).toEqual({ status: 403, body: NOT_OPEN })
  })

  const hostile = HOSTILE[runtime]
  test(`${hostile} connections keep neither memory nor the dashboard's place`, async () => {
    const { agent, front } = halves
    const strangers = strangersAt(front.url, hostile)
    try {
      await poll(() => strangers.tried() > hostile, { timeout_ms: 60_000 })
      const most: number[] = []
      for (let count = 0; count < 6; count += 1) {
        expect((await agent.ask({ path: '/metrics' })).status).toBe(200)
        expect((await agent.send({ path: '/health' })).body).toEqual({ status: 'ok' })
        most.push(await residentOf(front.pid))
      }
      // The executable is what a server runs.
      if (runtime === 'the executable') expect(Math.max(...most)).toBeLessThan(BUDGET_MB)
    } finally {
      strangers.stop()
    }
  }, 120_000)

  test('a client that pipelines many requests is disconnected, and no other client is', async () => {
    const { agent, front } = halves
    const ahead = rawRequest('GET', '/health', ['Host: x']).replace('Connection: close\r\n', '')

    const { text } = await sendRaw(front.url, ahead.repeat(1500))

    expect(text).toBe('')
    expect((await agent.ask({ path: '/metrics' })).status).toBe(200)
    if (runtime === 'the executable') expect(await residentOf(front.pid)).toBeLessThan(BUDGET_MB)
  })

  test('while one is open, its body is small', async () => {
    await openEnrolment(halves.agent)
    const post = (body: string) => halves.agent.send({ method: 'POST', path: '/enrol', body })

    const large = await post('x'.repeat(4097))
    const small = await post('{}')

    expect([large.status, large.body, small.status]).toEqual([
      413,
      { error: 'Payload too large', message: 'The body must have at most 4 KiB' },
      422,
    ])
  })
})
