import { METRICS_EXAMPLES } from '#dashboard/features/metrics/examples.ts'
import { AT, facts } from '#dashboard/kernel/http/example-values.ts'

const Condition = {
  code: 'port_http_taken',
  message:
    'apache2 listens on port 80. Its sites keep working; sites of Hosting Control need nginx there',
}

const IsolationResult = {
  id: 'files.configs',
  title: 'Read the wp-config.php of other sites',
  outcome: 'refused',
  detail: '',
}

const IsolationCounts = { refused: 1, succeeded: 0, not_applicable: 0, error: 0 }

export const SERVER_EXAMPLES = {
  CreateServer: { hostname: 'web-1.example.net', name: 'web-1', tags: ['production', 'eu'] },
  Condition,
  ConditionsView: { conditions: [Condition] },
  InstalledPhp: { version: '8.4', extensions: ['curl', 'gd', 'imagick', 'mysqli'] },
  ServerExtensions: { php: [{ version: '8.4', extensions: ['curl', 'gd', 'imagick', 'mysqli'] }] },
  ProvisionServer: { php_versions: ['8.4'] },
  RestartService: { service: 'nginx' },
  ServerCreated: { id: 1, name: 'web-1', status: 'pending' },
  ServerDetail: {
    ...facts,
    metrics: { cpu: METRICS_EXAMPLES.Metrics.cpu, ram: METRICS_EXAMPLES.Metrics.ram },
  },
  ServerListed: { ...facts, user: 'root', last_sync: AT },
  ServerUpdated: { id: 1, name: 'web-1', tags: facts.tags },
  Service: { name: 'nginx', status: 'running' },
  UpdateServer: { tags: ['production'] },
  IsolationCheckView: {
    checked_at: AT,
    counts: IsolationCounts,
    results: [IsolationResult],
    failures: 0,
    failed_at: null,
    reason: '',
  },
  IsolationCounts,
  IsolationResult,
  AgentUpgradeComplete: { status: 'ok', version: '0.1.0' },
  IsolationCheckComplete: {
    status: 'ok',
    checked_at: AT,
    counts: IsolationCounts,
    results: [IsolationResult],
  },
  ServerProvisionComplete: { status: 'ok', php_versions: ['8.4'] },
  ServerSyncComplete: { status: 'ok', sites: 12 },
  ServiceRestartComplete: { status: 'ok', service: 'nginx' },
}
