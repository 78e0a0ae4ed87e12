import { facts } from '#dashboard/kernel/http/example-values.ts'
import { PROTOCOL } from '#shared/kernel/protocol.ts'

const metrics = {
  cpu: 14.5,
  ram: { used: 2310, total: 7940, unit: 'MB' },
  disk: { used: 41200, total: 81920, unit: 'MB' },
  load: [0.42, 0.37, 0.31],
  uptime: 864000,
  os: facts.os,
  version: facts.version,
  protocol: PROTOCOL,
}

export const METRICS_EXAMPLES = {
  Metrics: metrics,
  MetricsHistory: {
    from: '2026-03-01T08:30:00.000Z',
    to: '2026-03-01T08:33:00.000Z',
    step: 60,
    since: '2026-02-11T09:15:00.000Z',
    at: [1772353800, 1772353860, 1772353920],
    cpu: [14.5, null, 16],
    cpu_max: [14.5, null, 16],
    ram_used: [2310, null, 2325],
    ram_total: [7940, null, 7940],
    disk_used: [41200, null, 41200],
    disk_total: [81920, null, 81920],
    load1: [0.42, null, 0.5],
    load5: [0.37, null, 0.4],
    load15: [0.31, null, 0.33],
  },
}
