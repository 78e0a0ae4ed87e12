import type { Host } from './host/ports.ts'
import { Sleeper } from './os/php/fpm-sleep.ts'

const MINUTE_MS = 60_000

/** Looks once a minute for sites that nobody visits. A new start of the agent counts from the beginning. */
export async function keepAsleep(host: Host, report: (error: unknown) => void): Promise<never> {
  const sleeper = new Sleeper()
  for (;;) {
    await sleeper.look(host, report).catch(report)
    await host.clock.sleep(MINUTE_MS)
  }
}
