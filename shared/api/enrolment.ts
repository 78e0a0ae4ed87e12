import { z } from 'zod'

/**
 * A code that lets the agent of a server be taken over once, until `expires_at` (ISO 8601), and the
 * line that installs the agent there, for each kind of machine. `hub_key`: `ed25519:<id>:<key>` of
 * the dashboard, as `hosting-agent enrol` takes it. The code is shown this once.
 */
export const Enrolment = z.strictObject({
  code: z.string(),
  expires_at: z.string(),
  hub_key: z.string(),
  lines: z.array(z.strictObject({ machine: z.string(), sha256: z.string(), line: z.string() })),
})
export type Enrolment = z.infer<typeof Enrolment>
