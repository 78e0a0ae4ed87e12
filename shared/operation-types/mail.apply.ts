import { mailApply } from '../commands/mail.apply.ts'
import { MailChange } from '../mail.ts'
import { completesWith, operationType } from '../operation-type.ts'

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
