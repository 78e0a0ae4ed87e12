import { z } from 'zod'
import { command } from '#shared/kernel/command.ts'
import { Domain, ReportedDomain } from '#shared/kernel/fields.ts'
import {
  completesWith,
  noParams,
  operationType,
  SAME_DOMAIN,
} from '#shared/kernel/operation-type.ts'
import { StagingPasswordHash } from '#shared/sites/staging.ts'

const stagingPassword = command({
  name: 'staging.password',
  summary: 'Change the password that visitors of a staging site need',
  changes: true,
  params: z.object({ domain: Domain, password_hash: StagingPasswordHash }),
  result: z.object({ domain: ReportedDomain }),
})

export const stagingPasswordType = operationType({
  name: 'Change staging password',
  title: 'Change the password of',
  target: 'site',
  command: stagingPassword,
  right: 'secrets',
  params: noParams,
  confirms: SAME_DOMAIN,
  outcome: completesWith(stagingPassword.result),
  bulk: null,
})
