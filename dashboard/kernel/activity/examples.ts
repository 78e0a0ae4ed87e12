import { AT, OPERATION } from '#dashboard/kernel/http/example-values.ts'

export const ACTIVITY_EXAMPLES = {
  Activity: {
    id: 41,
    type: 'site.create',
    domain: 'shop.example',
    status: 'success',
    created_at: AT,
  },
  FleetActivity: {
    id: 41,
    type: 'site.create',
    domain: 'shop.example',
    status: 'success',
    created_at: AT,
    actor: 'admin@example.com',
    token: 'deploy script',
    address: '203.0.113.7',
    server_id: 1,
    server: 'web-1',
    site_id: 7,
    operation_id: OPERATION,
    bulk_id: null,
    detail: null,
  },
}
