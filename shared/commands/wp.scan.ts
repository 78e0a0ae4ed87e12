import { z } from 'zod'
import { command } from '#shared/command.ts'
import { Domain } from '#shared/fields.ts'
import { Inventory } from '#shared/inventory.ts'

export const wpScan = command({
  name: 'wp.scan',
  summary:
    'Read the WordPress core, plugin and theme versions of a site, and the updates it knows of',
  changes: false,
  params: z.object({ domain: Domain }),
  result: Inventory,
})
