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

/** The form of an answer: JSON (at most 1 MiB), a list (at most 32 MiB), bytes, or events. */
export type AnswerForm = z.ZodType | ListAnswer | 'bytes' | 'events'

type Address = `${'GET' | 'POST'} /${string}`

/** The contract of one reading, which is answered at once, and has no journal. */
export interface ReadingContract<
  A extends Address = Address,
  P extends z.ZodType = z.ZodType,
  F extends AnswerForm = AnswerForm,
> {
  /** Method and path, which name the reading. */
  at: A
  /** The fields of the query (GET) or of the body (POST). */
  params: P
  answer: F
  /** What the policy of the server must permit: passwords, or a command. */
  permit?: 'passwords' | 'database.import' | 'database.tool' | 'database.user'
  /** What the server must have. */
  needs?: Need
  /** The time that a dashboard waits, for bytes until the end; `contact` for a sign of life. */
  timeout_ms?: number | 'contact'
  /** True when it has another effect when it is repeated: a dashboard sends it once. */
  is_once?: true
  /** True if the agent holds it open for its param `wait`, beside other calls. */
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
