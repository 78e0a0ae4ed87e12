import { z } from 'zod'
import { command } from '#shared/command.ts'
import { PhpVersion, SystemUser, Tier } from '#shared/fields.ts'

export const poolApply = command({
  name: 'pool.apply',
  summary: 'Resize the PHP-FPM pool of a system user',
  changes: true,
  params: z.object({ user: SystemUser, php_version: PhpVersion, tier: Tier }),
  result: z.object({ tier: Tier }),
})
