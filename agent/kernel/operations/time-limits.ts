import type { z } from 'zod'
import type { Contract } from '#shared/kernel/command.ts'
import { ServiceError } from '#shared/kernel/errors.ts'

export interface OperationLimits {
  wall_ms: number
  stall_ms: number
  /** The maximum size of all log lines in bytes, and their number: later lines are dropped. */
  output_bytes: number
  events: number
}

const MINUTE = 60_000

/** Returns the limits with the times of the contract. */
export const limitsOf = ({ minutes = 30, silent_minutes = 5 }: ContractTimes): OperationLimits => ({
  wall_ms: minutes * MINUTE,
  stall_ms: silent_minutes * MINUTE,
  output_bytes: 4 << 20,
  events: 20_000,
})

type ContractTimes = Pick<Contract<string, z.ZodType, z.ZodType>, 'minutes' | 'silent_minutes'>

interface WatchCallbacks {
  stop: (reason: ServiceError) => void
  warn: (line: string) => void
}

/** Limits the time of an operation: reports a silence once, and ends it at its limit. */
export function watchTime({ wall_ms, stall_ms }: OperationLimits, { stop, warn }: WatchCallbacks) {
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
  const count = Math.round(ms / MINUTE)
  return count === 1 ? '1 minute' : `${count} minutes`
}
