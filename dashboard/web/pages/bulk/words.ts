import type { BulkOperationView } from '#shared/api/bulk-operations.ts'
import { operationName } from '../../api/operation-words.ts'
import { formatNumber } from '../../ui/format.ts'

const OF_SERVERS = [
  'agent.upgrade',
  'isolation.check',
  'server.provision',
  'server.sync',
  'server.update',
  'service.restart',
]

/** Such as `Change tier of 40 sites`. */
export function bulkTitle({
  type,
  counts: { total },
}: Pick<BulkOperationView, 'type' | 'counts'>): string {
  const what = OF_SERVERS.includes(type) ? 'server' : 'site'
  const name = operationName(type).replace(/ (site|server)$/, '')
  const of = /^(Change|Check|Empty|Scan|Upgrade|Restart) /.test(name) ? ' of' : ''
  return `${name}${of} ${formatNumber(total)} ${what}${total === 1 ? '' : 's'}`
}
