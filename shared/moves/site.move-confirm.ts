import { z } from 'zod'
import { ReportedDomain } from '#shared/kernel/fields.ts'
import { completesWith, noParams, operationType } from '#shared/kernel/operation-type.ts'

export const siteMoveConfirmType = operationType({
  name: 'Confirm move',
  title: 'Confirm the move of',
  target: 'site',
  command: null,
  right: 'operate',
  params: noParams,
  confirms: {},
  outcome: completesWith(z.object({ domain: ReportedDomain })),
  bulk: null,
})
