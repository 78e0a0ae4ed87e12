import type { Limits } from '#agent/steps/time-limits.ts'
import { ServiceError } from '#shared/errors.ts'

interface Ways {
  stop: (reason: ServiceError) => void
  warn: (line: string) => void
}

/**
 * Limits the time of an operation: reports a silence once, and ends the operation at its limit.
 * Call `restart` after each line, `end` at the end.
 */
export function watch({ wall_ms, stall_ms }: Limits, { stop, warn }: Ways) {
  const most = `${minutes(wall_ms)}, its time limit`
  const wall = setTimeout(() => {
    const message = `The operation was ended after ${most}`
    stop(new ServiceError('internal', { message, refusal: 'timed_out' }))
  }, wall_ms)
  const silence = `Warning: no output for ${minutes(stall_ms)}; it is ended after ${most}`
  let stall: ReturnType<typeof setTimeout> | undefined
  const restart = () => {
    clearTimeout(stall)
    stall = setTimeout(() => warn(silence), stall_ms)
  }
  restart()
  return {
    restart,
    end() {
      clearTimeout(wall)
      clearTimeout(stall)
    },
  }
}

function minutes(ms: number): string {
  const count = Math.round(ms / 60_000)
  return count === 1 ? '1 minute' : `${count} minutes`
}
