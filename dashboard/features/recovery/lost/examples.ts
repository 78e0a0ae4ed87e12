import { COPY_EXAMPLES } from '#dashboard/features/copies/examples.ts'
import { BULK_EXAMPLES } from '#dashboard/kernel/bulk/examples.ts'
import { AT } from '#dashboard/kernel/http/example-values.ts'

const backup = {
  id: 12,
  at: AT,
  target: 'Offsite',
  bytes: 2_450_000_000,
  proven: true,
  excluded: 0,
}

const LostSite = {
  id: 7,
  domain: 'shop.example',
  server_id: 1,
  php: '8.4',
  status: 'active',
  state: 'restorable',
  reason: '',
  backup,
}

const RecoveryDestination = {
  id: 2,
  name: 'web-2',
  php_versions: ['8.4'],
  sites: 12,
  free_bytes: 80_000_000_000,
}

const NeededRecord = {
  domain: 'blog.example',
  name: 'blog.example',
  type: 'A',
  content: '203.0.113.9',
}

const RecoveryPlan = {
  server_id: 2,
  site_id: 7,
  domain: 'shop.example',
  error: null,
  plan: {
    steps: [
      {
        name: 'user',
        title: 'Creating the system user',
        effects: [{ action: 'create', kind: 'user', name: 'shop_k3f9' }],
      },
    ],
  },
}

export const LOST_EXAMPLES = {
  LostBackup: backup,
  LostSite,
  RecoveryDestination,
  NeededRecord,
  LostServer: {
    declared_at: null,
    sites: [LostSite],
    destinations: [RecoveryDestination],
    records: [],
  },
  RecoverSites: {
    sites: [{ site_id: 7, server_id: 2 }],
    dns: true,
    accept: [],
    parallel: 4,
    confirm: 'web-1',
    dry_run: false,
  },
  RecoveryPlan,
  RecoveryStarted: {
    bulk_operation: {
      ...BULK_EXAMPLES.BulkOperationView,
      type: 'site.recover',
      params: { sites: [{ site_id: 7, server_id: 2 }], dns: true },
    },
  },
  SiteRecoverComplete: { ...COPY_EXAMPLES.SiteCloneComplete, domain: 'shop.example' },
  RecoveryPlans: { plans: [RecoveryPlan], unplanned: 0 },
}
