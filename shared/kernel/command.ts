import type { z } from 'zod'
import type { Need } from './needs.ts'

/**
 * The contract of one command: its name on the wire, params and result. `changes` tells whether it
 * changes the machine: such a command is an operation with a journal.
 */
export interface Contract<N extends string, P extends z.ZodType, R extends z.ZodType> {
  name: N
  summary: string
  changes: boolean
  /** The maximum time from its turn to its end: then it ends like a forced cancel. Default: 30. */
  minutes?: number
  /** The maximum silence, which is then reported. Default: 5. */
  silent_minutes?: number
  params: P
  result: R
  /** What the server must have for these params. */
  needs?(params: z.output<P>): Need | undefined
}

export function command<const N extends string, P extends z.ZodType, R extends z.ZodType>(
  contract: Contract<N, P, R>,
): Contract<N, P, R> {
  return contract
}
