import { z } from 'zod'
import { command } from '#shared/kernel/command.ts'
import { Domain, Email } from '#shared/kernel/fields.ts'
import { completesWith, operationType } from '#shared/kernel/operation-type.ts'

/** Fails with the answer of the relay if that refuses the message. */
const mailCheck = command({
  name: 'mail.check',
  summary: 'Send a test message to the relay of a server or of one site',
  changes: true,
  minutes: 10,
  params: z.object({ domain: Domain.optional(), to: Email }),
  result: z.object({ answer: z.string().max(500) }),
})

export const mailCheckType = operationType({
  name: 'Test mail',
  title: 'Test the mail of',
  target: 'any',
  command: mailCheck,
  right: 'operate',
  params: mailCheck.params.pick({ to: true }),
  confirms: {},
  outcome: completesWith(mailCheck.result),
  bulk: null,
})
