import { AT, BULK, OPERATION, target } from '#dashboard/kernel/http/example-values.ts'

const BulkAsk = {
  server_id: 1,
  site_id: 7,
  domain: 'shop.example',
  effects: [
    {
      action: 'change',
      kind: 'name',
      name: 'shop.example, which /etc/nginx/sites-enabled/wild serves as *.example',
      asks: 'name_taken_over',
    },
  ],
  error: null,
}

export const BULK_EXAMPLES = {
  BulkAsk,
  BulkAsks: { asks: [BulkAsk], unasked: 0 },
  BulkItemView: { position: 1, ...target, status: 'success', operation_id: OPERATION, error: null },
  BulkOperationView: {
    id: BULK,
    type: 'pool.apply',
    params: { tier: 'large' },
    status: 'running',
    reason: '',
    parallel: 4,
    pause_after: 3,
    created_at: AT,
    finished_at: null,
    counts: { total: 40, waiting: 31, running: 4, success: 5, failed: 0, cancelled: 0, skipped: 0 },
  },
  BulkTarget: target,
  BulkTargets: { site_ids: [7, 9], server_ids: [], tag: 'production' },
  CreateBulkOperation: {
    type: 'pool.apply',
    params: { tier: 'large' },
    targets: { tag: 'production' },
    parallel: 4,
    pause_after: 3,
  },
  SkippedTarget: {
    server_id: 1,
    site_id: 11,
    domain: 'plain.example',
    error: {
      error: 'Conflict',
      message: 'plain.example was found, not created by Hosting Control',
      code: 'site_not_managed',
    },
  },
  BulkLogData: {
    message: 'shop.example begins',
    position: 1,
    domain: 'shop.example',
    operation_id: OPERATION,
    status: 'running',
  },
  BulkComplete: { status: 'ok', total: 40, success: 40, failed: 0, cancelled: 0 },
}
