import { z } from 'zod'
import { certificateOf } from '#agent/features/web/nginx.ts'
import { loginSteps } from '#agent/features/wordpress/login/install.ts'
import { create } from '#agent/kernel/effects/effects.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { runAsSite } from '#agent/kernel/sandbox/run.ts'
import { commonSteps } from '#agent/kernel/site/all-sites.ts'
import { onSite } from '#agent/kernel/site/on-site.ts'
import { loginsOf } from '#agent/kernel/site/paths.ts'
import type { Site } from '#agent/kernel/site/sites.ts'
import { command, ready, stepResult } from '#agent/kernel/steps/command.ts'
import { conflict } from '#shared/kernel/errors.ts'
import { parseJson } from '#shared/kernel/parse.ts'
import { pairOf } from '#shared/kernel/site-names.ts'
import { LOGIN_PATH } from '#shared/wordpress/login-path.ts'
import { LOGIN_SECONDS } from '#shared/wordpress/wp-login.ts'
import { evaluate } from './evaluate.ts'
import { wordpressSilent } from './failure.ts'

const admittedLogin = stepResult<{ user: string; url: string }>('Nobody was admitted')

/**
 * Installs nothing in the site: root's program exchanges the token for a session in the PHP of the
 * site. Only the dashboard and the browser of its user have the token.
 */
export const wpLogin = command('wp.login', {
  ...onSite,
  steps: ({ params: { user_id, token_hash: hash }, host, site, gives }) => [
    ready(async () => [...(await commonSteps(host)), ...(await loginSteps(host))]),
    {
      name: 'token',
      title: `Preparing a login to ${site.domain}`,
      effects: [create('login', site.domain)],
      apply: gives(admittedLogin, () => admitToken(host, site, { user_id, hash })),
      undo: () => forgetToken(host.steady ?? host, site, hash),
    },
  ],
  result: ({ site, get }) => ({ domain: site.domain, ...get(admittedLogin) }),
})

/** The seconds after which an unused token is removed: clocks may differ. */
const FORGOTTEN_SECONDS = 5 * LOGIN_SECONDS

interface LoginToken {
  /** The user who is logged in; null for the first administrator. */
  user_id: number | null
  /** The SHA-256 of the token, in hex. */
  hash: string
}

const LoginAnswer = z.object({
  login: z
    .string()
    .min(1)
    .transform((text) => text.slice(0, 60)),
  url: z.string().max(2000),
})
const PROBLEM = 'The login was not prepared'
const NoUser = z.object({ missing: z.literal(true) })

/**
 * Admits a token for one login as a user of the WordPress of a site. Returns the name of the user,
 * and the address that takes the token. Throws conflict for a user that does not exist.
 */
async function admitToken(
  host: Host,
  site: Site,
  token: LoginToken,
): Promise<{ user: string; url: string }> {
  const printed = await evaluate(host, site, admission(site, token), PROBLEM)
  if (parseJson(NoUser, printed)) throw conflict(`${site.domain} ${missingUser(token)}`)
  const answer = parseJson(LoginAnswer, printed)
  if (!answer) throw wordpressSilent(PROBLEM)
  const isSecure = (await certificateOf(host, site.domain)) !== undefined
  return { user: answer.login, url: addressOf(site, answer.url, isSecure) }
}

/** Removes the token of a failed login, which would still be valid for a while. */
async function forgetToken(host: Host, site: Site, hash: string): Promise<void> {
  await runAsSite(host, site, ['rm', '-f', '--', `${loginsOf(site.user)}/${hash}`])
}

const missingUser = ({ user_id }: LoginToken) =>
  user_id === null ? 'has no administrator' : `has no user with the number ${user_id}`

const admission = ({ user }: Site, { user_id, hash }: LoginToken) => `<?php
$found = ${
  user_id === null
    ? "get_users(['role' => 'administrator', 'orderby' => 'ID', 'number' => 1])"
    : `array_filter([get_user_by('id', ${user_id})])`
};
if (!$found) exit(json_encode(['missing' => true]));
$folder = '${loginsOf(user)}';
$fail = fn($what) => WP_CLI::error($what . ': ' . (error_get_last()['message'] ?? 'unknown reason'));
if (!is_dir($folder) && !mkdir($folder, 0700)) $fail('its folder was not created');
foreach (glob($folder . '/*') as $old)
  if (filemtime($old) < time() - ${FORGOTTEN_SECONDS}) unlink($old);
$entry = json_encode(['user' => $found[0]->ID, 'until' => time() + ${LOGIN_SECONDS}]);
if (file_put_contents($folder . '/${hash}', $entry) !== strlen($entry))
  $fail('it was not written');
echo json_encode(['login' => $found[0]->user_login, 'url' => site_url()]);
`

/**
 * Returns the address of the login. Cookies are valid for one host: the token goes to that of
 * WordPress's own address. The address comes from the site, and a name of another site must not
 * receive a token.
 */
function addressOf({ domain, tls }: Site, url: string, isSecure: boolean): string {
  const given = URL.canParse(url) ? new URL(url) : undefined
  const isOwn = given !== undefined && pairOf(domain).includes(given.hostname)
  const isWeb = given?.protocol === 'https:' || given?.protocol === 'http:'
  const usual = tls === 'none' ? 'http:' : 'https:'
  // No token is sent without TLS where the site has a certificate, whatever WordPress has recorded.
  const protocol = isSecure ? 'https:' : isWeb ? given.protocol : usual
  return `${protocol}//${isOwn ? given.hostname : domain}${LOGIN_PATH}`
}
