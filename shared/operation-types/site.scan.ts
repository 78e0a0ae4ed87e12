import { z } from 'zod'
import { wpScan } from '#shared/commands/wp.scan.ts'
import { Extension } from '#shared/inventory.ts'
import { bulkParams, noParams, operationType } from '#shared/operation-type.ts'

export const siteScanType = operationType({
  name: 'Scan WordPress',
  title: 'Scan the WordPress of',
  target: 'site',
  path: '/sites/wp-scan',
  right: 'operate',
  params: noParams,
  outcome: {
    result: wpScan.result,
    complete: z.strictObject({
      wp_version: Extension.shape.version,
      plugins: z.int().nonnegative().describe('How many there are.'),
    }),
    data: ({ wp_version, plugins }) => ({ wp_version, plugins: plugins.length }),
  },
  bulk: { title: 'Scan WordPress of', params: bulkParams({}), words: {} },
})
