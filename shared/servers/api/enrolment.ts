import { strictObject, z } from 'zod'
import { Timestamp } from '#shared/kernel/api/parts.ts'

export const Enrolment = strictObject({
  code: z.string().describe('Shown only once.'),
  expires_at: Timestamp,
  hub_key: z.string().describe('`ed25519:<id>:<key>`, an argument of `hosting-agent enrol`.'),
  lines: z
    .array(
      z.strictObject({
        machine: z.string().describe('Such as linux-x64.'),
        sha256: z.string().describe('Of the executable, in hexadecimal.'),
        line: z.string().describe('The shell command that installs and enrols the agent.'),
      }),
    )
    .describe('One for each machine with a build.'),
  obstacle: z.string().describe('Why this dashboard will not connect to the server, else empty.'),
}).meta({
  id: 'Enrolment',
  description: 'A code that enrols the agent of a server once, until it expires.',
})
export type Enrolment = z.infer<typeof Enrolment>

/** The reasons why an agent cannot be reached, or does not prove itself yet. */
export const REACH_CODES = [
  'connection_refused',
  'unresolved',
  'unreachable',
  'timed_out',
  'waits_for_code',
] as const
export type ReachCode = (typeof REACH_CODES)[number]

export const EnrolmentState = strictObject({
  enrolled_at: Timestamp.nullable().describe('Since when its agent is trusted.'),
  code: z
    .strictObject({
      status: z.enum(['open', 'expired', 'refused']).describe('refused: after three wrong proofs.'),
      expires_at: Timestamp,
      reason: z.string().describe('Why it could not be used yet; empty before the first try.'),
      reason_code: z.enum(REACH_CODES).optional().describe('Of a reason that can be corrected.'),
    })
    .nullable()
    .describe('The last code, until it is used.'),
}).meta({
  id: 'EnrolmentState',
  description: 'The trust and the enrolment of the agent of a server.',
})
export type EnrolmentState = z.infer<typeof EnrolmentState>
