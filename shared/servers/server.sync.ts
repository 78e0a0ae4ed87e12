import { z } from 'zod'
import {
  bulkParams,
  completesWith,
  noParams,
  operationType,
} from '#shared/kernel/operation-type.ts'

const Synced = z.object({ sites: z.int().nonnegative().describe('The number of its sites.') })

export const serverSyncType = operationType({
  name: 'Sync server',
  title: 'Sync',
  target: 'server',
  command: null,
  right: 'operate',
  excludes: 'same_type',
  params: noParams,
  confirms: {},
  outcome: completesWith(Synced),
  bulk: { title: 'Sync', params: bulkParams({}), words: {} },
})
