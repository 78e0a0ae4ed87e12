import { z } from 'zod'
import { phpValues } from '#agent/features/php/fpm-files.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { docrootOf, homeOf } from '#agent/kernel/site/paths.ts'
import { limitsOn, machineOf } from '#agent/kernel/site/tiers.ts'
import type { Tier } from '#shared/kernel/fields.ts'
import { constantsOf, type Hidden, NO_MAIL, tryAsHidden } from './as-hidden.ts'

const LIMIT_MS = 5 * 60_000

/** The front page, the login page, and a feed. */
const PATHS = ['/', '/wp-login.php', '/feed/']

/** `complete`: a redirect, an answer without content, or one with its end. */
const Answered = z.array(
  z.object({ path: z.string(), status: z.int().min(0).max(999), complete: z.boolean() }),
)
export type Answered = z.infer<typeof Answered>

/**
 * Asks the PHP-FPM of the hidden site for pages, as a visitor of the original would by https. The
 * program `hosting-agent pages` starts it and ends it: nothing else can reach it.
 */
export async function askPages(
  host: Host,
  hidden: Hidden,
  { domain, tier }: { domain: string; tier: Tier },
): Promise<Answered> {
  const { program } = host.settings
  const home = homeOf(hidden.original)
  const limits = limitsOn(tier, await machineOf(host))
  const request = {
    program: `/usr/sbin/php-fpm${hidden.php}`,
    values: [...phpValues(home, limits), `php_admin_value[sendmail_path] = "${NO_MAIL}"`],
    prepend: `<?php ${constantsOf(hidden)}`,
    docroot: docrootOf(hidden.original),
    host: domain,
    paths: PATHS,
  }
  const { code, stdout } = await tryAsHidden(host, hidden, [...program, 'pages'], {
    ...{ input: JSON.stringify(request), own_program: program, timeout_ms: LIMIT_MS },
  })
  if (code !== 0) return PATHS.map((path) => ({ path, status: 0, complete: false }))
  return Answered.parse(JSON.parse(stdout.trim().split('\n').at(-1) ?? ''))
}
