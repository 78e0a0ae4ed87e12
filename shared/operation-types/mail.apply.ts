import { mailApply } from '#shared/commands/mail.apply.ts'
import { MailChange } from '#shared/mail.ts'
import { completesWith, operationType } from '#shared/operation-type.ts'

export const mailApplyType = operationType({
  name: 'Change mail settings',
  title: 'Change the mail settings of',
  target: 'any',
  path: '/exec',
  right: 'admin',
  params: MailChange,
  outcome: completesWith(mailApply.result),
  bulk: null,
})
