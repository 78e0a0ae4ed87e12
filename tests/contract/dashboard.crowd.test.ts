// tier: full
import { afterEach, describe, expect, test } from 'bun:test'
import { readFile } from 'node:fs/promises'
import { Client } from '#tests/support/client.ts'
import { type Crowd, crowd } from '#tests/support/crowd.ts'
import { ADMIN } from '#tests/support/processes.ts'
import { useDashboard } from '#tests/support/running.ts'

/** What the dashboard may take while 2,000 strangers are connected, the hashing of passwords included. */
const BUDGET_MIB = 512
const LONG_MS = 120_000

const line = (...lines: string[]) => `${lines.join('\r\n')}\r\n`
const login = (length: number) =>
  line(
    'POST /api/auth/login HTTP/1.1',
    'Host: x',
    'Content-Type: application/json',
    `Content-Length: ${length}`,
  )

describe('2,000 hostile connections', () => {
  const dashboard = useDashboard()
  const crowds: Crowd[] = []
  afterEach(() => {
    for (const each of crowds.splice(0)) each.end()
  })
  const come = async (...args: [number, string, string?]) => {
    const made = await crowd(dashboard.running().port, ...args)
    crowds.push(made)
    return made
  }
  /** The most memory that the dashboard has taken so far. */
  const peak = async () => {
    const status = await readFile(`/proc/${dashboard.running().pid}/status`, 'utf8')
    return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1]) / 1024
  }
  const health = () => dashboard.client().get('/health')
  const owner = (headers: Record<string, string>) =>
    new Client(dashboard.running().url).send({
      method: 'POST',
      path: '/api/auth/login',
      body: ADMIN,
      headers: { 'x-forwarded-for': '203.0.113.200', ...headers },
    })
  /** Waits until it holds, as the dashboard drops strangers only after some time. */
  const until = async (holds: () => boolean) => {
    for (const end = Date.now() + LONG_MS / 2; !holds() && Date.now() < end; ) await Bun.sleep(50)
  }

  test(
    'that are silent, or slow with headers and bodies, block nobody and are closed',
    async () => {
      const quiet = await come(600, '')
      const headers = await come(700, line('GET /health HTTP/1.1', 'Host: x'), line('X-More: x'))
      const bodies = await come(700, `${login(16_000)}\r\n{"email":"${'x'.repeat(15_000)}`, 'x')

      const answers = []
      for (let turn = 0; turn < 20; turn += 1) answers.push(await health())
      const { status } = await owner({})

      expect(answers.map(({ status: each }) => each)).toEqual(Array(20).fill(200))
      expect(status).toBe(200)
      expect(bodies.open()).toBe(700)
      await until(() => quiet.open() + headers.open() === 0 && bodies.answers.get(400) === 700)
      expect([quiet.open(), headers.open()]).toEqual([0, 0])
      expect([...bodies.answers]).toEqual([[400, 700]])
      expect(await peak()).toBeLessThan(BUDGET_MIB)
    },
    LONG_MS,
  )

  test(
    'that announce large bodies are 413 before any of it is stored',
    async () => {
      const large = await come(2_000, `${login(1_000_000)}\r\n${'x'.repeat(100_000)}`)

      await until(() => large.answers.get(413) === large.size)

      expect([...large.answers]).toEqual([[413, 2_000]])
      expect((await health()).status).toBe(200)
      expect(await peak()).toBeLessThan(BUDGET_MIB)
    },
    LONG_MS,
  )

  test(
    'that guess the password from everywhere do not lock the owner out',
    async () => {
      const known = await owner({})
      const [, device = ''] = known.headers.getSetCookie()
      const cookie = device.split(';')[0] ?? ''
      const guess = JSON.stringify({ email: ADMIN.email, password: 'guess' })
      const from = (turn: number) =>
        `${login(guess.length)}X-Forwarded-For: 198.51.${turn >> 8}.${turn & 255}\r\n\r\n${guess}`
      const guesses = Promise.all(Array.from({ length: 2_000 }, (_, turn) => come(1, from(turn))))
      const flood = await guesses

      const during = await owner({ cookie })
      const answers = []
      for (let turn = 0; turn < 20; turn += 1) answers.push((await health()).status)
      const counted = (status: number) =>
        flood.filter(({ answers: given }) => given.get(status) === 1).length
      await until(() => counted(401) + counted(429) === flood.length)

      expect(during.status).toBe(200)
      expect(answers).toEqual(Array(20).fill(200))
      expect(counted(401) + counted(429)).toBe(2_000)
      expect(counted(401)).toBeGreaterThan(0)
      for (let turn = 0; turn < 20; turn += 1) {
        const { status } = await owner({ 'x-forwarded-for': '203.0.113.201' })
        if (status === 200) return
        expect(status).toBe(429)
        await Bun.sleep(1_000)
      }
      throw new Error('A new device of the owner was not let in after the flood')
    },
    LONG_MS,
  )

  test(
    'of one address do not block logins of others',
    async () => {
      const guess = (turn: number) =>
        JSON.stringify({ email: `someone${turn}@control.example`, password: 'guess' })
      const one = (turn: number) =>
        `${login(guess(turn).length)}X-Forwarded-For: 192.0.2.77\r\n\r\n${guess(turn)}`
      const flood = await Promise.all(
        Array.from({ length: 500 }, (_, turn) => come(1, one(turn + 1_000))),
      )
      const { status } = await owner({ 'x-forwarded-for': '203.0.113.202' })
      const counted = (wanted: number) =>
        flood.filter(({ answers }) => answers.get(wanted) === 1).length
      await until(() => counted(401) + counted(429) === flood.length)

      expect(status).toBe(200)
      expect([counted(401), counted(429)]).toEqual([20, 480])
    },
    LONG_MS,
  )
})
