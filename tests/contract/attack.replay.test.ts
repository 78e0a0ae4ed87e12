import { afterAll, beforeAll, expect, test } from 'bun:test'
import { SignedAgent } from '#tests/support/attack.ts'
import { flood } from '#tests/support/flood.ts'
import { sweep } from '#tests/support/processes.ts'
import { long } from '#tests/support/runs.ts'

const TIMES = long ? 1_000_000 : 20_000
const read = { path: '/metrics' }

let agent: SignedAgent
beforeAll(async () => {
  agent = await SignedAgent.start()
}, 60_000)
afterAll(sweep)

const seconds = () => Math.floor(Date.now() / 1000)
const proofOf = (claims: object) => agent.sign({ ...read, claims })
const replayed = (proof: string, times: number) =>
  flood(agent.running.url, [`Authorization: ${proof}`], times)

test(
  `a request that was captured is refused each of ${TIMES} times`,
  async () => {
    const proof = agent.sign(read)
    const first = await agent.send(read, proof)

    const answers = await replayed(proof, TIMES)

    expect(first.status).toBe(200)
    expect([...answers]).toEqual([[401, TIMES]])
  },
  long ? 3_600_000 : 30_000,
)

test('of many copies that arrive at once one is obeyed', async () => {
  const proof = agent.sign(read)

  const counts = await Promise.all(Array.from({ length: 20 }, () => replayed(proof, 50)))

  const accepted = counts.map((count) => count.get(200) ?? 0)
  expect(accepted.toSorted()).toEqual([...Array(19).fill(0), 1])
})

test.each([-30, 29])(
  'a clock that is %d seconds off gives a copy no second chance',
  async (off) => {
    const proof = proofOf({ iat: seconds() + off, exp: seconds() + off + 30 })

    const answers = await replayed(proof, 500)

    expect(Object.fromEntries(answers)).toEqual({ 200: 1, 401: 499 })
  },
)

test('a copy is refused in its last second, and afterwards', async () => {
  // A process that remembers nothing else: what it forgets, it forgets for this one.
  await agent.restart()
  const end = seconds() - 29
  const proof = proofOf({ iat: end - 30, exp: end })
  const accepted: number[] = []

  while (seconds() <= end + 31) {
    accepted.push((await replayed(proof, 50)).get(200) ?? 0)
    await Bun.sleep(100)
  }

  expect(accepted).toEqual([1, ...Array(accepted.length - 1).fill(0)])
}, 20_000)

test('a copy is refused after a restart, used before or not', async () => {
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

test('a request that never came does not come good by waiting for its time', async () => {
  const early = proofOf({ iat: seconds() + 32, exp: seconds() + 62 })

  const answers = await replayed(early, 50)

  expect([...answers]).toEqual([[401, 50]])
})
