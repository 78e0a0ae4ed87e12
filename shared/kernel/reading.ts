import { z } from 'zod'
import type { Need } from './needs.ts'

/** A list that grows with the sites of a server: its reader checks one entry after the other. */
export interface ListAnswer<
  K extends string = string,
  E extends z.ZodType = z.ZodType,
  B extends z.ZodType = z.ZodType,
> {
  /** The field with the entries. */
  key: K
  entry: E
  /** The other fields. */
  beside: B
}

/** JSON of at most 1 MiB by its schema, a list of at most 32 MiB, bytes of any length, or events. */
export type AnswerForm = z.ZodType | ListAnswer | 'bytes' | 'events'

type Address = `${'GET' | 'POST'} /${string}`

/**
 * The contract of one reading: of everything that a dashboard asks an agent except commands. A reading
 * is answered at once, and has no journal.
 */
export interface ReadingContract<
  A extends Address = Address,
  P extends z.ZodType = z.ZodType,
  F extends AnswerForm = AnswerForm,
> {
  /** Method and path: the name of the reading. */
  at: A
  /** The fields of the query (GET) or of the body (POST). */
  params: P
  answer: F
  /** What the policy of the server must permit: passwords, or a command. */
  permit?: 'passwords' | 'database.import' | 'database.tool' | 'database.user'
  /** What the server must have. */
  needs?: Need
  /** How long a dashboard waits; `contact`: as for a sign of life. Of bytes: until the last one. */
  timeout_ms?: number | 'contact'
  /** It does something else when it is repeated: a dashboard sends it once. */
  is_once?: true
  /** The agent holds it open for its param `wait`: meanwhile it takes the turn of no other call. */
  is_held?: true
}

export function reading<const A extends Address, P extends z.ZodType, const F extends AnswerForm>(
  contract: ReadingContract<A, P, F>,
): ReadingContract<A, P, F> {
  return contract
}

/** The params of a reading without any. */
export const NoParams = z.object({})

export const listOf = <const K extends string, E extends z.ZodType>(key: K, entry: E) => ({
  key,
  entry,
  beside: NoParams,
})
