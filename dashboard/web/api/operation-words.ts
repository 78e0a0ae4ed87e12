import type { OperationType, OperationView } from '#shared/api/operations.ts'

/** What each kind of operation is called, and what stands before the name of its site or server. */
const WORDS: Record<OperationType, { name: string; of: string }> = {
  'agent.upgrade': { name: 'Upgrade agent', of: 'Upgrade the agent of' },
  'isolation.check': { name: 'Check isolation', of: 'Check the isolation of' },
  'mail.apply': { name: 'Change mail settings', of: 'Change the mail settings of' },
  'mail.check': { name: 'Test mail', of: 'Test the mail of' },
  'server.provision': { name: 'Provision server', of: 'Provision' },
  'server.sync': { name: 'Sync server', of: 'Sync' },
  'server.update': { name: 'Install updates', of: 'Install updates on' },
  'updates.configure': {
    name: 'Configure unattended updates',
    of: 'Configure unattended updates on',
  },
  'service.restart': { name: 'Restart service', of: 'Restart a service of' },
  'site.create': { name: 'Create site', of: 'Create' },
  'site.delete': { name: 'Delete site', of: 'Delete' },
  'site.restore': { name: 'Restore site', of: 'Restore' },
  'site.purge': { name: 'Purge site', of: 'Remove for good' },
  'site.update': { name: 'Change site', of: 'Change' },
  'site.scan': { name: 'Scan WordPress', of: 'Scan the WordPress of' },
  'pool.apply': { name: 'Change tier', of: 'Change the tier of' },
  'tls.issue': { name: 'Change certificate', of: 'Change the certificate of' },
  'cache.purge': { name: 'Empty cache', of: 'Empty the cache of' },
}

export const OPERATION_NAMES = Object.entries(WORDS).map(([type, { name }]) => ({
  type: type as OperationType,
  name,
}))

export const operationName = (type: OperationType): string => WORDS[type].name

/** Such as `Create shop.example`, or `Sync web-1`. */
export function operationTitle(
  operation: Pick<OperationView, 'type' | 'site_id' | 'domain' | 'server'>,
): string {
  const { type, site_id, domain, server } = operation
  return `${WORDS[type].of} ${site_id === null ? server : domain}`
}
