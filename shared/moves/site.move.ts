import { z } from 'zod'
import { Id, ReportedDomain } from '#shared/kernel/fields.ts'
import { completesWith, operationType } from '#shared/kernel/operation-type.ts'
import { Accept } from '#shared/kernel/plan.ts'

export const MoveResult = z.object({
  domain: ReportedDomain,
  server_id: Id.describe('The server that has the site now.'),
  seconds: z
    .number()
    .nonnegative()
    .describe('How long visitors got the answer 503 with a page that says so.'),
})

export const siteMoveType = operationType({
  name: 'Move site',
  title: 'Move',
  target: 'site',
  command: null,
  right: 'operate',
  excludes: 'same_site_except_backup',
  params: z.object({
    server_id: Id.describe('The new server.'),
    accept: Accept.optional(),
  }),
  confirms: {},
  outcome: completesWith(MoveResult),
  bulk: null,
})
