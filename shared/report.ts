import { z } from 'zod'

/** The calls of an agent that a sync reads: one answer has those of all of them. */
export const REPORTED = [
  '/services',
  '/sites',
  '/web',
  '/trash',
  '/certificates',
  '/usage',
  '/maintenance',
  '/mail',
  '/job-troubles',
  '/access',
  '/logins',
] as const

/** Bytes: answers that need more, and those that cannot be read, are left out and asked for alone. */
export const MAX_REPORT = 1 << 20

/** The answers by their paths. */
export const Report = z.object({ answers: z.record(z.string(), z.unknown()) })
