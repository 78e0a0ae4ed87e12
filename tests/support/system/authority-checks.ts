import { expect, test } from 'bun:test'
import { X509Certificate } from 'node:crypto'
import { DOMAIN, type FailingAuthority, HOUR_MS, MINUTES, NAMES } from './failing-authority.ts'
import { startOtherServer } from './other-server.ts'

export const DAY_MS = 24 * HOUR_MS
/** So far ahead, one of ten days is due, and one of ninety days is not. */
export const DUE_MS = 7 * DAY_MS
export const DEAD = 'dead.example.test'
export const ALIVE = NAMES.filter((name) => name !== DEAD)

interface Certified {
  world: () => FailingAuthority
  /** While visitors come. */
  visited: (work: () => Promise<void>) => Promise<void>
  /** A new certificate of ten days. */
  fresh: () => Promise<string>
  renewal: (before: string) => () => Promise<boolean>
}

/** What is known before an order: where the names lead, and when the authority wants it. */
export function leadingChecks(of: Certified): void {
  test(
    'asks the authority for no name that leads to another server, and for it when it leads here',
    async () => {
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
    },
    3 * MINUTES,
  )

  test(
    'is renewed when the authority suggests it, and not before',
    async () => {
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
    },
    3 * MINUTES,
  )
}
