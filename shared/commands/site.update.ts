import { z } from 'zod'
import { command } from '../command.ts'
import { Domain, PhpVersion, Tier } from '../fields.ts'

export const siteUpdate = command({
  name: 'site.update',
  summary: 'Move a site to another PHP version or tier',
  changes: true,
  params: z.object({ domain: Domain, php: PhpVersion.optional(), tier: Tier.optional() }),
  result: z.object({ domain: z.string(), php: z.string(), tier: Tier }),
})
