import { mailCheck } from '#shared/commands/mail.check.ts'
import { completesWith, operationType } from '#shared/operation-type.ts'

export const mailCheckType = operationType({
  name: 'Test mail',
  title: 'Test the mail of',
  target: 'any',
  path: '/exec',
  right: 'operate',
  params: mailCheck.params.pick({ to: true }),
  outcome: completesWith(mailCheck.result),
  bulk: null,
})
