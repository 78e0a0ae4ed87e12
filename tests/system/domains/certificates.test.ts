// tier: gate

import { afterAll, beforeAll, expect, test } from 'bun:test'
import { X509Certificate } from 'node:crypto'
import process from 'node:process'
import * as lab from '#tests/support/lab/index.ts'
import type { Suite } from '#tests/support/lab/suites.ts'
import { unless } from '#tests/support/skip.ts'
import {
  DOMAIN,
  FailingAuthority,
  HOUR_MS,
  MINUTES,
  NAMES,
  worstHour,
} from '#tests/support/system/failing-authority.ts'
import { startLoad } from '#tests/support/system/load.ts'
import { releases } from '#tests/support/turns.ts'

const SERVER = `
const fetch = () => new Response('another server', { status: 404 })
Bun.serve({ hostname: process.argv[1], port: 80, fetch })
`

/** A web server without our sites, at the address of the switch. */
async function startOtherServer(): Promise<{ address: string; stop(): Promise<unknown> }> {
  const { netns, address } = await lab.switchUp()
  const inside = ['ip', 'netns', 'exec', netns]
  const server = lab.background([...inside, process.execPath, '--eval', SERVER, address], {
    PATH: '/usr/sbin:/usr/bin:/sbin:/bin',
  })
  const open = ['bash', '-c', 'exec 3<>/dev/tcp/"$1"/80', 'bash', address]
  await lab.poll(async () => (await lab.run([...inside, ...open])).code === 0)
  return { address, stop: () => server.stop() }
}

const DAY_S = 86_400
const LIFETIME_S = { minute: 60, ten_days: 10 * DAY_S, ninety_days: 90 * DAY_S }
/** Nobody listens there. */
const NOBODY = '127.0.0.2'

const DAY_MS = 24 * HOUR_MS
/** So far ahead, one of ten days is due, and one of ninety days is not. */
const DUE_MS = 7 * DAY_MS
const DEAD = 'dead.example.test'
const ALIVE = NAMES.filter((name) => name !== DEAD)

interface Certified {
  world: () => FailingAuthority
  /** While visitors come. */
  visited: (work: () => Promise<void>) => Promise<void>
  /** A new certificate of ten days. */
  fresh: () => Promise<string>
  renewal: (before: string) => () => Promise<boolean>
}

/** What is known before an order: where the names lead, and when the authority wants it. */
function leadingChecks(of: Certified): void {
  test('asks the authority for no name that leads to another server, and for it when it leads here', async () => {
    const world = of.world()
    const other = await startOtherServer()
    const before = await of.fresh()
    await of.visited(async () => {
      await world.lead(NAMES, other.address)
      await world.clock.change(DUE_MS)
      world.front.take()
      await world.issue()
      expect(world.front.take()).toEqual({ orders: [], failed: [], suggested: [] })
      expect(await world.certificate()).toBe(before)
      const reason = `its DNS record leads to ${other.address}, which answers 404 instead of the token of this server`
      expect((await world.tries())[DOMAIN]?.reason).toBe(
        `The certificate for ${DOMAIN} was refused: ${reason}`,
      )

      await world.lead(ALIVE)
      const until = of.renewal(before)
      const renewed = await world.pass(HOUR_MS, { until })
      expect([renewed.orders, renewed.failed]).toEqual([['passed'], []])
      expect(await world.certified()).toEqual(ALIVE)
      expect(await world.tries()).toEqual({ [DEAD]: expect.objectContaining({ reason }) })

      await world.lead([DEAD])
      const whole = of.renewal(await world.certificate())
      expect((await world.pass(HOUR_MS, { until: whole })).failed).toEqual([])
      expect([await world.certified(), await world.tries()]).toEqual([NAMES, {}])
    })
    await other.stop()
  })

  test('is renewed when the authority suggests it, and not before', async () => {
    const world = of.world()
    const before = await of.fresh()
    await of.visited(async () => {
      await world.clock.change(DUE_MS)
      const { now } = world.clock
      await world.front.suggest(now + 30 * HOUR_MS, now + 31 * HOUR_MS)
      const held = await world.pass(6 * HOUR_MS, { step_ms: HOUR_MS })
      const kept = await world.certificate()
      await world.front.suggest(now - 2 * HOUR_MS, now - HOUR_MS)
      const until = of.renewal(before)
      const { orders } = await world.pass(6 * HOUR_MS, { step_ms: HOUR_MS, until })

      const { serialNumber } = new X509Certificate(before)
      const serial = Buffer.from(held.suggested[0]?.split('.')[1] ?? '', 'base64url')
      expect(serial.toString('hex').replace(/^00/, '')).toBe(serialNumber.toLowerCase())
      expect(held.suggested.length).toBeGreaterThan(1)
      expect([held.orders, kept]).toEqual([[], before])
      expect([orders, await of.renewal(before)()]).toEqual([['passed'], true])
      expect(await world.certified()).toEqual(NAMES)
    })
  })
}

for (const suite of releases('certificates')) {
  unless(lab.available()).describe(
    `the certificate of a site, while an authority fails on ${suite}`,
    () => check(suite),
  )
}

function check(suite: Suite): void {
  let world: FailingAuthority

  /** A visitor who believes only this authority, and the present time, visits all the while. */
  const visited = async (work: () => Promise<void>) => {
    const load = startLoad(world.host, `https://${DOMAIN}/answer.php`, 2, world.roots)
    try {
      await work()
      await lab.poll(async () => load.answers.good > 10)
    } finally {
      await load.stop()
    }
    const { good, bad } = load.answers
    expect(bad.slice(0, 3)).toEqual([])
    expect(good).toBeGreaterThan(10)
  }
  /**
   * The certificate that it then has, with all names, at the present time. The next one lasts longer:
   * it is issued by the clock of the authority, and must not be due by the clock of the agent.
   */
  const fresh = async () => {
    await world.clock.change(0)
    await world.openAuthority(LIFETIME_S.ten_days)
    await world.issue()
    expect(await world.tries()).toEqual({})
    await world.openAuthority(LIFETIME_S.ninety_days)
    return world.certificate()
  }
  const renewal = (before: string) => async () => (await world.certificate()) !== before

  beforeAll(async () => {
    world = await FailingAuthority.start(suite, LIFETIME_S.minute)
  }, 10 * MINUTES)
  afterAll(() => world?.stop(), 5 * MINUTES)

  test('one that lasts a minute is renewed before it expires', async () => {
    await world.issue()
    const renewed = renewal(await world.certificate())
    const hurried = async () => {
      await world.clock.hurry(80 * MINUTES)
      return renewed()
    }
    await visited(async () => {
      await lab.poll(hurried, { every_ms: 500, timeout_ms: MINUTES })
      expect(await world.tries()).toEqual({})
      // Past the end of the first one.
      await Bun.sleep(25_000)
    })
    expect(await world.certified()).toEqual(NAMES)
  })

  test('stays while its names point elsewhere, with four failed validations of a name in an hour at most', async () => {
    const before = await fresh()
    await visited(async () => {
      await world.lead(NAMES, NOBODY)
      await world.clock.change(DUE_MS)
      const { failed } = await world.pass(6 * HOUR_MS)
      // Also for a client that does not wait for the next attempt.
      for (let times = 0; times < 6; times++) {
        await world.issue()
        failed.push(...world.dated(world.front.take().failed))
      }

      expect([...new Set(failed.map(({ name }) => name))].sort()).toEqual(NAMES)
      expect(worstHour(failed)).toBe(4)
      expect(await world.certificate()).toBe(before)
      expect(await world.tries()).toMatchObject({ [DOMAIN]: { reason: expect.any(String) } })
    })
  })

  test('is renewed without the alias that points elsewhere, when the others point here again', async () => {
    const before = await world.certificate()
    await visited(async () => {
      await world.lead(ALIVE)
      const until = renewal(before)
      const { failed } = await world.pass(25 * HOUR_MS, { step_ms: HOUR_MS, until })

      expect(worstHour(failed)).toBeLessThanOrEqual(4)
      expect(await world.tries()).toEqual({ [DEAD]: expect.anything() })
      expect(await world.certified()).toEqual(ALIVE)
    })
  })

  leadingChecks({ world: () => world, ...{ visited, fresh, renewal } })

  test('waits as long as the authority says at its limit, and is renewed then', async () => {
    const before = await fresh()
    await visited(async () => {
      await world.front.limit('7200')
      await world.clock.change(DUE_MS)
      const from = world.clock.now
      await world.issue()
      const tried = (await world.tries())[DOMAIN]
      const { orders, failed } = await world.pass(110 * MINUTES)
      await world.front.limit()
      const later = await world.pass(6 * HOUR_MS, { until: renewal(before) })

      expect({ orders, failed }).toEqual({ orders: ['limited'], failed: [] })
      expect(tried?.reason).toBe(
        `The certificate for ${DOMAIN} was refused: the authority limits requests: too many new orders recently`,
      )
      expect(Date.parse(tried?.next_at ?? '') - from).toBeGreaterThanOrEqual(2 * HOUR_MS)
      expect([later.orders, later.failed, await world.tries()]).toEqual([['passed'], [], {}])
      expect(await renewal(before)()).toBe(true)
    })
  })

  test('is renewed after the authority was down for a day', async () => {
    const before = await fresh()
    await visited(async () => {
      await world.front.down()
      await world.clock.change(DUE_MS)
      await world.pass(DAY_MS, { step_ms: HOUR_MS })
      const tried = (await world.tries())[DOMAIN]
      await world.front.up()
      const until = renewal(before)
      const { orders } = await world.pass(13 * HOUR_MS, { step_ms: HOUR_MS, until })

      expect(tried?.reason).toContain('cannot be reached')
      expect([orders, await world.tries()]).toEqual([['passed'], {}])
      expect(await renewal(before)()).toBe(true)
      expect(await world.certified()).toEqual(NAMES)
    })
  })
}
