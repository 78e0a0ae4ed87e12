import type { Host } from '#agent/host/ports.ts'
import { progressOf } from './progress.ts'

const EVERY_MS = 5000

/**
 * For `RunOptions.seen`: tells the viewers of the operation how far a program is, at most each five
 * seconds. `total`: in bytes, if it is known.
 */
export function told(host: Host, what: string, total?: number): (bytes: number) => void {
  const { clock, tell } = host
  const started = clock.elapsed()
  let last = started
  return (bytes) => {
    const now = clock.elapsed()
    if (now - last < EVERY_MS) return
    last = now
    tell?.(`${what}: ${progressOf(bytes, total, now - started)}`)
  }
}
