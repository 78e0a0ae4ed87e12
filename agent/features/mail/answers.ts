import { z } from 'zod'

/** The last line of `hosting-agent mail-try`, as JSON: the answer of the relay, or what prevented it. */
const TryResult = z.object({ taken: z.boolean(), answer: z.string() })

export type TryResult = z.infer<typeof TryResult>

/**
 * Reads the result of a try from a line; undefined for one of the dialogue, none of which begins
 * with a brace.
 */
export const readTryResult = (line: string): TryResult | undefined =>
  line.startsWith('{') ? TryResult.parse(JSON.parse(line)) : undefined

export const describeTry = ({ taken, answer }: TryResult): string =>
  `The relay ${taken ? 'took' : 'did not take'} the message: ${answer}`
