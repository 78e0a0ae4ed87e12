// tier: core
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { connect } from 'node:tls'
import { SignedAgent } from '#tests/support/attack.ts'
import { rawRequest, sendRaw } from '#tests/support/client.ts'
import { sweep } from '#tests/support/processes.ts'
import { long, times } from '#tests/support/runs.ts'
import { unless } from '#tests/support/skip.ts'

const AT_ONCE = 10

/**
 * Sends the same request repeatedly over one connection, ten at a time, and counts the answers by
 * their status.
 */
function flood(url: string, lines: readonly string[], times: number) {
  const request = rawRequest('GET', '/metrics', ['Host: x', ...lines])
  const kept = request.replace('Connection: close\r\n', '')
  const counted = new Map<number, number>()
  return new Promise<Map<number, number>>((resolve, reject) => {
    let sent = 0
    let received = 0
    let text = ''
    const more = () => {
      const next = Math.min(AT_ONCE, times - sent)
      sent += next
      socket.write(kept.repeat(next))
    }
    const socket = connect(
      { host: '127.0.0.1', port: Number(new URL(url).port), rejectUnauthorized: false },
      more,
    )
    socket.on('error', reject)
    socket.on('close', () => reject(new Error(`closed after ${received} answers`)))
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString('latin1')
      let end = 0
      for (const match of text.matchAll(/HTTP\/1\.1 (\d{3})/g)) {
        const status = Number(match[1])
        counted.set(status, (counted.get(status) ?? 0) + 1)
        received += 1
        end = match.index + match[0].length
      }
      text = text.slice(Math.max(end, text.length - 11))
      if (received === times) {
        resolve(counted)
        socket.destroy()
      } else if (received === sent) more()
    })
  })
}

const TIMES = long ? 1_000_000 : times(5_000)
const read = { path: '/metrics' }

let agent: SignedAgent
/** Remembers nothing but what is asked of it here: what it forgets, it forgets for this. */
let other: SignedAgent
let lastSeconds: Promise<number[]>
beforeAll(async () => {
  const started = [SignedAgent.start(), SignedAgent.start()] as const
  ;[agent, other] = await Promise.all(started)
  lastSeconds = untilForgotten()
}, 60_000)
afterAll(sweep)

const seconds = () => Math.floor(Date.now() / 1000)
const proofOf = (claims: object) => agent.sign({ ...read, claims })
const replayed = (proof: string, times: number, of = agent) =>
  flood(of.running.url, [`Authorization: ${proof}`], times)

/** How many copies are obeyed, again and again until the token is long over. */
async function untilForgotten(): Promise<number[]> {
  const end = seconds() - 25
  const proof = other.sign({ ...read, claims: { iat: end - 30, exp: end } })
  const accepted: number[] = []
  while (seconds() <= end + 31) {
    accepted.push((await replayed(proof, 50, other)).get(200) ?? 0)
    await Bun.sleep(200)
  }
  return accepted
}

/** Sends the head of a request, or half of one, and never its end; resolves with what is answered. */
async function trickle(path?: string): Promise<string> {
  const proof = path === '/enrol' ? '' : other.sign({ method: 'POST', path: path ?? '' })
  const head = ['Host: x', `Authorization: ${proof}`, 'Content-Length: 1000']
  const request = path
    ? `${rawRequest('POST', path, head)} `
    : 'GET /health HTTP/1.1\r\nHost: x\r\nX: '
  const started_ms = Date.now()
  const answer = await sendRaw(other.running.url, request, 14_000).catch(() => undefined)
  const took = Math.round((Date.now() - started_ms) / 5000) * 5
  return answer === undefined ? 'no end' : `${answer.status} ${answer.text} after ${took} s`
}

test(
  `a captured request is refused each of ${TIMES} times`,
  async () => {
    const proof = agent.sign(read)
    const first = await agent.send(read, proof)

    const answers = await replayed(proof, TIMES)

    expect(first.status).toBe(200)
    expect([...answers]).toEqual([[401, TIMES]])
  },
  long ? 3_600_000 : 30_000,
)

test('one of many simultaneous copies is executed', async () => {
  const proof = agent.sign(read)

  const counts = await Promise.all(Array.from({ length: 10 }, () => replayed(proof, 50)))

  const accepted = counts.map((count) => count.get(200) ?? 0)
  expect(accepted.toSorted()).toEqual([...Array(9).fill(0), 1])
})

test.each([-30, 29])('a clock that is %d seconds off does not allow a replay', async (off) => {
  const proof = proofOf({ iat: seconds() + off, exp: seconds() + off + 30 })

  const answers = await replayed(proof, 500)

  expect(Object.fromEntries(answers)).toEqual({ 200: 1, 401: 499 })
})

test('a replay is refused in its last second, and afterwards', async () => {
  const accepted = await lastSeconds

  expect(accepted.length).toBeGreaterThan(1)
  expect(accepted).toEqual([1, ...Array(accepted.length - 1).fill(0)])
}, 20_000)

test('a replay is refused after a restart, used before or not', async () => {
  const used = agent.sign(read)
  const fresh = agent.sign(read)
  await agent.send(read, used)
  const before = agent.boot

  await agent.restart()

  expect(agent.boot).not.toBe(before)
  expect([...(await replayed(used, 1000))]).toEqual([[401, 1000]])
  expect([...(await replayed(fresh, 1000))]).toEqual([[401, 1000]])
  expect((await agent.ask(read)).status).toBe(200)
})

test('a request from the future does not become valid later', async () => {
  const early = proofOf({ iat: seconds() + 60, exp: seconds() + 90 })

  const answers = await replayed(early, 50)

  expect([...answers]).toEqual([[401, 50]])
})

const reason = long ? undefined : 'takes ten seconds: HOSTING_LONG=1'
unless(reason).test(
  'who sends slowly is answered and let go after ten seconds',
  async () => {
    const slow = '{"error":"Bad request","message":"The body arrived too slowly"}'
    const body = `400 ${slow} after 10 s`

    const ends = await Promise.all([trickle('/sites/wp-scan'), trickle('/enrol'), trickle()])

    const closed = '{"error":"Forbidden","message":"No enrolment is open: run hosting-agent enrol"}'
    expect(ends).toEqual([body, `403 ${closed} after 0 s`, '0  after 10 s'])
  },
  20_000,
)
