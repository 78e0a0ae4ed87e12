import { debianFpm } from '#agent/features/servers/service-status.ts'
import * as effects from '#agent/kernel/effects/effects.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { simulated } from '#agent/kernel/packages/packages.ts'
import { isRunning } from '#agent/kernel/services/service.ts'
import type { Effect } from '#shared/kernel/plan.ts'

/** Packages that other sites may use: a newer version restarts them. */
const SERVING = /^(nginx|apache2|php|libapache2|mariadb|mysql|percona)/

/** The effects on installed packages, as reported by apt. */
export async function packageChanges(host: Host, packages: readonly string[]): Promise<Effect[]> {
  const found = (await simulated(host, packages)) ?? []
  const removed = found.filter(({ action }) => action === 'remove')
  const changed = found.filter(({ action, name }) => action === 'change' && SERVING.test(name))
  return [
    ...removed.map((effect) => ({ ...effect, asks: 'packages_removed' })),
    ...changed.map((effect) => ({ ...effect, asks: 'packages_changed' })),
    ...(await restarted(host, packages)),
  ]
}

/** A PHP-FPM that is used outside of this agent loads new extensions only after a restart. */
async function restarted(host: Host, packages: readonly string[]): Promise<Effect[]> {
  const versions = new Set(
    packages.flatMap((name) => /^php(\d\.\d)-(?!fpm$)/.exec(name)?.[1] ?? []),
  )
  const running: Effect[] = []
  for (const php of versions) {
    const service = debianFpm(php)
    if (packages.includes(`php${php}-fpm`) || !(await isRunning(host, service))) continue
    running.push({ ...effects.run('restart', service.unit), asks: 'php_restarted' })
  }
  return running
}
