import type { z } from 'zod'
import type { Need } from './needs.ts'

/** The contract of one command. With `changes` it is an operation with a journal. */
export interface Contract<N extends string, P extends z.ZodType, R extends z.ZodType> {
  name: N
  summary: string
  changes: boolean
  /** The maximum minutes from its turn to its end, then a forced cancel; 30 by default. */
  minutes?: number
  /** The minutes without an event after which the operation counts as silent; 5 by default. */
  silent_minutes?: number
  params: P
  result: R
  /** Returns what the server must have for these params. */
  needs?(params: z.output<P>): Need | undefined
}

export function command<const N extends string, P extends z.ZodType, R extends z.ZodType>(
  contract: Contract<N, P, R>,
): Contract<N, P, R> {
  return contract
}
