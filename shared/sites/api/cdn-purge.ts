import { strictObject, z } from 'zod'
import { body } from '#shared/kernel/api/body.ts'
import { DryRun } from '#shared/kernel/plan.ts'

export const PurgeCdn = body({ dry_run: DryRun }).meta({ id: 'PurgeCdn' })

export const CdnPurge = strictObject({
  zones: z.array(
    z.strictObject({
      zone: z.string(),
      account: z.string().describe('The name of the DNS account.'),
      hosts: z.array(z.string()).describe('The names of the site that are proxied there.'),
    }),
  ),
}).meta({ id: 'CdnPurge', description: 'The caches of Cloudflare that have pages of a site.' })
export type CdnPurge = z.infer<typeof CdnPurge>
