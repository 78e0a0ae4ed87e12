import type { Document } from './documents.ts'

/** A file of source code is split when it has more lines. */
const MOST_LINES = 200

/** Larger tests that existed before the limit, and how large they may be. The list may only shrink. */
const LARGER: Readonly<Record<string, number>> = {
  'tests/agent/commands/isolation.check.test.ts': 210,
  'tests/agent/commands/site.create.test.ts': 250,
  'tests/agent/commands/site.delete.test.ts': 210,
  'tests/agent/commands/site.restore.test.ts': 230,
  'tests/agent/mail/envelope.test.ts': 220,
  'tests/agent/operations/runner.test.ts': 250,
  'tests/agent/os/discovery/discovery.test.ts': 250,
  'tests/agent/os/health/monitor.test.ts': 260,
  'tests/agent/policy/policy.test.ts': 210,
  'tests/agent/scan/wp-config.test.ts': 210,
  'tests/browser/found-sites.test.ts': 270,
  'tests/browser/servers.test.ts': 260,
  'tests/contract/agent.exec.test.ts': 290,
  'tests/contract/agent.operations.test.ts': 250,
  'tests/contract/dashboard.disk.test.ts': 220,
  'tests/contract/demo.test.ts': 320,
  'tests/dashboard/bulk/routes.test.ts': 270,
  'tests/dashboard/overview/overview.attention.test.ts': 390,
  'tests/dashboard/live/feed.test.ts': 250,
  'tests/dashboard/sync/run-sync.test.ts': 330,
  'tests/dashboard/metrics/routes.test.ts': 270,
  'tests/dashboard/mail/routes.test.ts': 240,
  'tests/dashboard/operations/cancel/cancel-operation.test.ts': 260,
  'tests/dashboard/operations/plan.test.ts': 330,
  'tests/dashboard/operations/worker.test.ts': 240,
  'tests/dashboard/servers/isolation/queries.test.ts': 240,
  'tests/dashboard/sites/routes.actions.test.ts': 210,
  'tests/dashboard/trust/addresses.test.ts': 210,
  'tests/dashboard/trust/pinned.test.ts': 300,
  'tests/dashboard/backup/back-up.test.ts': 320,
  'tests/dashboard/db/migrations.test.ts': 260,
  'tests/support/fake-agent.ts': 260,
  'tests/support/simulation/network.ts': 220,
  'tests/support/system/database.ts': 280,
  'tests/support/system/mail-checks.ts': 210,
  'tests/support/system/sandbox.ts': 230,
  'tests/system/stranger.test.ts': 210,
}

/** One line for each problem; empty if there is none. */
export function sizeProblems(
  files: readonly Document[],
  larger: Readonly<Record<string, number>> = LARGER,
): string[] {
  const lines = new Map(files.map(({ path, text }) => [path, text.split('\n').length - 1]))
  const tooLarge = [...lines].filter(([path, count]) => count > (larger[path] ?? MOST_LINES))
  const needless = Object.keys(larger).filter((path) => (lines.get(path) ?? 0) <= MOST_LINES)
  return [
    ...tooLarge.map(
      ([path, count]) => `${path} has ${count} lines, at most ${larger[path] ?? MOST_LINES}`,
    ),
    ...needless.map((path) => `${path} is small or gone: remove it from the list`),
  ]
}
