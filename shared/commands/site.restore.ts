import { z } from 'zod'
import { command } from '#shared/command.ts'
import { Domain } from '#shared/fields.ts'
import { Accept } from '#shared/plan.ts'

export const siteRestore = command({
  name: 'site.restore',
  summary: 'Bring a site back from the trash as it was',
  changes: true,
  params: z.object({ domain: Domain, accept: Accept.optional() }),
  result: z.object({ domain: z.string().max(253) }),
})
