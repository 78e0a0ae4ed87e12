import { mailSteps } from '#agent/features/mail/install-mail.ts'
import { loginSteps } from '#agent/features/wordpress/login/install.ts'
import { installSteps } from '#agent/kernel/effects/change.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { DEBUG_PHP, STAGING_DEBUG_PHP } from '#agent/kernel/sandbox/debug.ts'
import { DEBUG_PHP_TEXT, STAGING_DEBUG_PHP_TEXT } from '#agent/kernel/sandbox/debug-php.ts'
import { commonSteps } from '#agent/kernel/site/all-sites.ts'
import type { Step } from '#agent/kernel/steps/command.ts'

/**
 * Returns the steps that prepare the common parts of all sites of a server: their slice, the
 * folders of their sockets and of their mail, and the programs for logins and debug logs; none for
 * what exists.
 */
export async function allSitesSteps(host: Host): Promise<Step[]> {
  return [
    ...(await commonSteps(host)),
    ...(await mailSteps(host)),
    ...(await loginSteps(host)),
    ...(await debugSteps(host)),
  ]
}

const debugSteps = (host: Host): Promise<Step[]> =>
  installSteps(host, { name: 'debug log', title: 'Installing the program for debug logs' }, [
    { path: DEBUG_PHP, text: DEBUG_PHP_TEXT },
    { path: STAGING_DEBUG_PHP, text: STAGING_DEBUG_PHP_TEXT },
  ])
