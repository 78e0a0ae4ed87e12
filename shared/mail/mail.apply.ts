import { z } from 'zod'
import { command } from '#shared/kernel/command.ts'
import { Domain } from '#shared/kernel/fields.ts'
import { completesWith, operationType } from '#shared/kernel/operation-type.ts'
import { secretOf } from '#shared/kernel/secret.ts'
import { isExposed, MailChange, MailRules, RelayPassword, RelayPlace, RelayUser } from './mail.ts'

/** The relay for an agent; user and password are empty if the relay requires none. */
const Relay = RelayPlace.extend({ user: RelayUser, password: secretOf(RelayPassword) }).refine(
  (relay) => relay.user === '' || !isExposed(relay),
  { path: ['tls'], error: 'Must not be none where a password is sent to another machine' },
)

/** Applies, without a domain, the settings of all sites of the server. */
export const mailApply = command({
  name: 'mail.apply',
  summary: 'Set the mail relay of a server, or of one site',
  changes: true,
  minutes: 10,
  params: MailRules.extend({ domain: Domain.optional(), relay: Relay.nullable() }),
  result: z.object({ relay: z.boolean() }),
})

export const mailApplyType = operationType({
  name: 'Change mail settings',
  title: 'Change the mail settings of',
  target: 'any',
  command: mailApply,
  right: 'admin',
  params: MailChange,
  confirms: {},
  outcome: completesWith(mailApply.result),
  bulk: null,
})
