import { z } from 'zod'

/** The last line of `hosting-agent mail-try` as JSON: the relay's answer, or the failure. */
const TryResult = z.object({ taken: z.boolean(), answer: z.string() })

export type TryResult = z.infer<typeof TryResult>

/** Reads the result of a try from a line; undefined for one of the dialogue, without a brace. */
export const readTryResult = (line: string): TryResult | undefined =>
  line.startsWith('{') ? TryResult.parse(JSON.parse(line)) : undefined

export const describeTry = ({ taken, answer }: TryResult): string =>
  `The relay ${taken ? 'took' : 'did not take'} the message: ${answer}`
