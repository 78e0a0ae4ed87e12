import { expect, test } from 'bun:test'
import { readEvents } from '#shared/sse.ts'
import * as lab from '#tests/support/lab/index.ts'
import type { Enrolled } from './enrolled.ts'
import { get } from './requests.ts'
import { MINUTES } from './world.ts'

/** The logs of a site that answers at `domain`, read by an installed agent. */
export function readsLogs(of: () => { world: Enrolled; site: number }, domain: string): void {
  test(
    'reads and follows the logs of a site through both halves',
    async () => {
      const { world, site } = of()
      const at = world.path(`/sites/${site}/logs`)
      const following = await world.dashboard.open(`${at}/events?source=access`)
      await lab.poll(async () => {
        await get(world.host, `https://${domain}/?logged=yes`)
        const { body } = await world.dashboard.call('GET', `${at}/lines?source=access&text=logged`)
        return (body.lines as unknown[]).length > 0
      })

      const { status, body } = await world.dashboard.call('GET', at)
      expect([status, (body.logs as unknown[]).length > 0]).toEqual([200, true])
      for await (const { data } of readEvents(following.body ?? new ReadableStream()))
        if (JSON.stringify(data).includes('logged=yes')) break
    },
    MINUTES,
  )
}
