import { AT, LATER, OPERATION } from '#dashboard/kernel/http/example-values.ts'

const OperationWarning = {
  code: 'certificate_refused',
  message:
    'The certificate for shop.example was refused: DNS problem: NXDOMAIN looking up A for shop.example',
}

const OperationView = {
  id: OPERATION,
  type: 'site.create',
  server_id: 1,
  server: 'web-1',
  site_id: 7,
  domain: 'shop.example',
  actor: 'admin@example.com',
  status: 'success',
  last_line: 'Recording the site',
  error: null,
  warnings: [OperationWarning],
  attempts: 1,
  cancel: null,
  retry_of: null,
  next_at: null,
  deadline_at: LATER,
  created_at: AT,
  started_at: AT,
  finished_at: LATER,
}

const Effect = { action: 'create', kind: 'user', name: 'shop_k3f9' }

const Plan = {
  steps: [{ name: 'user', title: 'Create the system user shop_k3f9', effects: [Effect] }],
}

export const OPERATION_EXAMPLES = {
  CancelOperation: { force: false },
  Done: { status: 'ok', message: 'Restarted nginx' },
  Effect,
  Failure: {
    error: 'Agent offline',
    message: 'The agent on web-1.example.net:8443 did not answer in time',
  },
  OnlyDryRun: { dry_run: true },
  RetryOperation: { without_backup: false, dry_run: false },
  OperationView,
  OperationWarning,
  Plan,
  StepData: { name: 'database', title: 'Creating the database', state: 'running' },
  LogData: { message: 'Creating the system user shop_k3f9' },
}
