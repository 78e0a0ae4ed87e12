import type { Host } from './ports.ts'

const EVERY_MS = 5000
const UNITS = ['B', 'kB', 'MB', 'GB', 'TB']

/**
 * Returns a callback for `RunOptions.seen` that reports to the viewers of the operation how far a
 * program is, at most each five seconds. `total` is in bytes.
 */
export function reportProgress(host: Host, what: string, total?: number): (bytes: number) => void {
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

/** Formats the progress of a program, with the remaining time by its rate. */
export function progressOf(done: number, total: number | undefined, elapsed_ms: number): string {
  if (!total || done > total) return `${sizeOf(done)} until now`
  const seconds = done > 0 ? Math.round(((total - done) / done) * (elapsed_ms / 1000)) : undefined
  return shareOf(done, total, seconds)
}

export function shareOf(done: number, total: number, seconds: number | undefined): string {
  const share = `${sizeOf(done)} of ${sizeOf(total)} (${Math.floor((100 * done) / total)} %)`
  return seconds ? `${share}, about ${seconds} s left` : share
}

/** Formats a number of bytes in decimal units: `1.5 MB`. */
export function sizeOf(bytes: number): string {
  const power = Math.min(UNITS.length - 1, Math.floor(Math.log10(Math.max(bytes, 1)) / 3))
  const value = bytes / 1000 ** power
  return `${power === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${UNITS[power]}`
}
