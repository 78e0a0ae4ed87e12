import { z } from 'zod'
import { command } from '#shared/kernel/command.ts'
import { Domain } from '#shared/kernel/fields.ts'
import { Extension, Inventory } from '#shared/kernel/inventory.ts'
import { bulkParams, noParams, operationType } from '#shared/kernel/operation-type.ts'

const wpScan = command({
  name: 'wp.scan',
  summary:
    'Read the WordPress core, plugin and theme versions of a site, and the updates it knows of',
  changes: false,
  minutes: 10,
  params: z.object({ domain: Domain }),
  result: Inventory,
})

export const siteScanType = operationType({
  name: 'Scan WordPress',
  title: 'Scan the WordPress of',
  target: 'site',
  command: wpScan,
  right: 'operate',
  excludes: 'same_site_except_backup',
  params: noParams,
  confirms: {},
  outcome: {
    result: wpScan.result,
    complete: z.strictObject({
      wp_version: Extension.shape.version,
      plugins: z.int().nonnegative().describe('The number of plugins.'),
    }),
    data: ({ wp_version, plugins }) => ({ wp_version, plugins: plugins.length }),
  },
  bulk: { title: 'Scan WordPress of', params: bulkParams({}), words: {} },
})
