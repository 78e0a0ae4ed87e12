import type { Host } from './host/ports.ts'
import { Sleeper } from './os/php/fpm-sleep.ts'

const MINUTE_MS = 60_000

/** Checks once a minute for sites without visitors. A restart of the agent restarts their idle time. */
export async function keepAsleep(host: Host, report: (error: unknown) => void): Promise<never> {
  const sleeper = new Sleeper()
  for (;;) {
    await sleeper.look(host, report).catch(report)
    await host.clock.sleep(MINUTE_MS)
  }
}
