import { z } from 'zod'

const hash = z.string().regex(/^[A-Za-z0-9+/]{43}=$/, 'Must be a SHA-256 in base64')
const size = z.number().int().nonnegative()

/** The end of the record of the activity of a dashboard, as an agent keeps it. */
export const WitnessedCheckpoint = z.strictObject({
  origin: z.string().regex(/^hosting-control\/[0-9a-f]{16}$/, 'Must be the origin of a record'),
  /** The number of links since the first one. */
  size,
  /** The hash of the last link. */
  hash,
  at: z.iso.datetime(),
})
export type WitnessedCheckpoint = z.infer<typeof WitnessedCheckpoint>

export const WitnessRequest = z.strictObject({
  checkpoint: WitnessedCheckpoint,
  /** The link at which the last checkpoint of the agent ended: the new one must continue it. */
  before: z.strictObject({ size, hash }).nullable(),
  /** True when the records of the dashboard were restored: they are older now. */
  replaces: z.boolean(),
})
export type WitnessRequest = z.infer<typeof WitnessRequest>

/** The last checkpoint of the agent, which is the sent one when it was accepted. */
export const WitnessAnswer = z.object({ accepted: z.boolean(), last: WitnessedCheckpoint })
export type WitnessAnswer = z.infer<typeof WitnessAnswer>
