import { Buffer } from 'node:buffer'
import { evaluate } from '#agent/features/wordpress/evaluate.ts'
import { wordpressSilent } from '#agent/features/wordpress/failure.ts'
import { setAdminPassword } from '#agent/features/wordpress/wordpress.ts'
import { reading } from '#agent/kernel/calls/reading.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import type { Site } from '#agent/kernel/site/sites.ts'
import { getSite } from '#agent/kernel/site/sites.ts'
import { parseJson } from '#shared/kernel/parse.ts'
import { adminPasswordReading, wordpressUsersReading } from '#shared/wordpress/readings.ts'
import { MAX_USERS, WordpressUsers } from '#shared/wordpress/wp-login.ts'

/** The roles of customers, who are many, and have nothing to do behind the login. */
const VISITORS = ['subscriber', 'customer']

const PROBLEM = 'The users were not read'

/**
 * Lists the accounts that work on a site: administrators first, then by number; with an address, only
 * those that have it, whatever their role.
 */
export async function listUsers(host: Host, site: Site, email?: string): Promise<WordpressUsers> {
  const printed = await evaluate(host, site, email === undefined ? QUERY : queryOf(email), PROBLEM)
  const list = parseJson(WordpressUsers, printed)
  if (!list) throw wordpressSilent(PROBLEM)
  return list
}

const QUERY = `<?php
$find = fn($by) => get_users($by + ['orderby' => 'ID', 'number' => ${MAX_USERS + 1}]);
$others = ['administrator', ${VISITORS.map((role) => `'${role}'`).join(', ')}];
$found = [...$find(['role' => 'administrator']), ...$find(['role__not_in' => $others])];
$users = array_map(fn($user) => [
  'id' => $user->ID,
  'login' => $user->user_login,
  'name' => $user->display_name,
  'role' => (string) (array_values($user->roles)[0] ?? ''),
], array_slice($found, 0, ${MAX_USERS}));
echo json_encode(['users' => $users, 'more' => count($found) > ${MAX_USERS}]);
`

/**
 * Finds members of the site with an address, of a network of sites only those of its main site. The
 * address is encoded: no text of it can end the text of PHP.
 */
const queryOf = (email: string) => `<?php
$users = array_map(fn($user) => [
  'id' => $user->ID,
  'login' => $user->user_login,
  'name' => $user->display_name,
  'role' => (string) (array_values($user->roles)[0] ?? ''),
  'email' => $user->user_email,
], get_users([
  'search' => base64_decode('${Buffer.from(email).toString('base64')}'),
  'search_columns' => ['user_email'],
  'number' => ${MAX_USERS},
]));
echo json_encode(['users' => $users, 'more' => false]);
`

export const wordpressUsers = reading(wordpressUsersReading, async ({ host, params }) =>
  listUsers(host, await getSite(host, params.domain), params.email),
)

export const adminPassword = reading(adminPasswordReading, async ({ host, params }) => {
  const { user, password } = await setAdminPassword(host, await getSite(host, params.domain))
  return { user, password: password.reveal() }
})
