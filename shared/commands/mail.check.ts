import { z } from 'zod'
import { command } from '#shared/command.ts'
import { Domain, Email } from '#shared/fields.ts'

/** Fails with the answer of the relay when that does not take the message. */
export const mailCheck = command({
  name: 'mail.check',
  summary: 'Hand a test message to the relay of a server or of one site',
  changes: true,
  params: z.object({ domain: Domain.optional(), to: Email }),
  result: z.object({ answer: z.string().max(500) }),
})
