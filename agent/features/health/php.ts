import { socketOf } from '#agent/features/php/fpm-files.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import type { Pinged } from '#agent/kernel/host/visit-port.ts'
import type { Site } from '#agent/kernel/site/sites.ts'
import { degraded, down, UP, up, type Verdict } from '#shared/health/page-verdict.ts'
import type { PhpState } from './php-state.ts'

type Named = (php: string) => Verdict

const AT_REST: Record<Exclude<PhpState, 'running'>, Named> = {
  asleep: () => up('php_asleep', 'PHP sleeps until the next visitor'),
  failed: (php) => down('php_failed', `PHP ${php} of this site has failed`),
  failing: (php) => down('php_failing', `PHP ${php} of this site ends each time it is started`),
  stopped: (php) => down('php_stopped', `PHP ${php} of this site is not running`),
  frozen: (php) => down('php_frozen', `PHP ${php} of this site is stopped by a signal`),
}

const PINGED: Record<Pinged, Named> = {
  pong: () => UP,
  refused: (php) => down('php_stopped', `PHP ${php} of this site does not answer on its socket`),
  silent: (php) =>
    degraded('php_silent', `PHP ${php} of this site does not answer: all of its workers are busy`),
  busy: (php) =>
    degraded('php_busy', `PHP ${php} of this site accepts no more requests: its queue is full`),
  other: (php) => degraded('php_silent', `PHP ${php} of this site does not answer as PHP-FPM does`),
}

/** `quiet`: the site has no visitors, and a ping would keep its PHP awake. */
export async function checkPhp(
  host: Host,
  site: Site,
  { state, quiet }: { state: PhpState; quiet: boolean },
): Promise<Verdict> {
  if (state !== 'running') return AT_REST[state](site.php)
  if (quiet) return UP
  const { user, php } = site
  const socket = socketOf({ user, php })
  return PINGED[await host.visitor.pingFpm(socket)](php)
}
