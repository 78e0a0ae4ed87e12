import { isDeepStrictEqual } from 'node:util'
import { z } from 'zod'
import type { Host } from '#agent/kernel/host/ports.ts'
import { tryAsSite } from '#agent/kernel/sandbox/run.ts'
import { docrootOf } from '#agent/kernel/site/paths.ts'
import type { Site } from '#agent/kernel/site/sites.ts'
import { machineOf, siteLimitsOn } from '#agent/kernel/site/tiers.ts'
import { conflict } from '#shared/kernel/errors.ts'
import { parseJson } from '#shared/kernel/parse.ts'
import { siteValues } from './fpm-files.ts'

const LIMIT = { timeout_ms: 3 * 60_000 }
/** Prevents that mail is sent twice. */
const NO_MAIL = 'php_admin_value[sendmail_path] = "/bin/false"'
const PageStatuses = z.array(z.object({ status: z.int().min(0).max(999) }))
/** Returns whether there is no answer, or an error of PHP. */
const isBroken = (status: number) => status === 0 || status >= 500

/** Returns whether PHP has another version or other values in the second record. */
export async function hasOtherPhp(host: Host, site: Site, target: Site): Promise<boolean> {
  const machine = await machineOf(host)
  const [before, after] = [site, target].map((each) => [
    each.php,
    ...siteValues(each, siteLimitsOn(each, machine), each),
  ])
  return !isDeepStrictEqual(before, after)
}

/**
 * Requests the front page from a PHP-FPM with the values of the second record, which nothing else
 * can reach. Throws 409 if it is broken, and is not with those of the first one.
 */
export async function refuseBrokenPage(host: Host, site: Site, target: Site): Promise<void> {
  const after = await statusOf(host, target)
  if (after === undefined || !isBroken(after)) return
  const before = await statusOf(host, site)
  if (before === undefined || isBroken(before)) return
  const answer = after === 0 ? 'has no answer' : `is answered with status ${after}`
  throw conflict(
    `The front page of ${site.domain} ${answer} with these values of PHP, and with ${before} without them: nothing was changed`,
  )
}

/** Returns the HTTP status of the home page of a site; undefined when it could not be tried. */
async function statusOf(host: Host, site: Site): Promise<number | undefined> {
  const { program } = host.settings
  const limits = siteLimitsOn(site, await machineOf(host))
  const request = {
    program: `/usr/sbin/php-fpm${site.php}`,
    values: [...siteValues(site, limits, site), NO_MAIL],
    prepend: '<?php ',
    docroot: docrootOf(site.user),
    host: site.domain,
    paths: ['/'],
  }
  const { code, stdout } = await tryAsSite(host, site, [...program, 'pages'], {
    input: JSON.stringify(request),
    own_program: program,
    ...LIMIT,
  })
  const [page] = parseJson(PageStatuses, stdout.trim().split('\n').at(-1)) ?? []
  return code === 0 ? page?.status : undefined
}
