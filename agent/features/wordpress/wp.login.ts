import { loginSteps } from '#agent/features/wordpress/login/install.ts'
import { admitToken, forgetToken } from '#agent/features/wordpress/login/tokens.ts'
import { create } from '#agent/kernel/effects/effects.ts'
import { commonSteps } from '#agent/kernel/site/all-sites.ts'
import { onSite } from '#agent/kernel/site/on-site.ts'
import { command, ready, value } from '#agent/kernel/steps/command.ts'

const admitted = value<{ user: string; url: string }>('Nobody was admitted')

/**
 * Nothing is installed in the site: root's program exchanges the token for a session in the PHP of
 * the site. The token exists at the dashboard and in the browser of its user only.
 */
export const wpLogin = command('wp.login', {
  ...onSite,
  steps: ({ params: { user_id, token_hash: hash }, host, site, gives }) => [
    ready(async () => [...(await commonSteps(host)), ...(await loginSteps(host))]),
    {
      name: 'token',
      title: `Preparing a login to ${site.domain}`,
      effects: [create('login', site.domain)],
      apply: gives(admitted, () => admitToken(host, site, { user_id, hash })),
      undo: () => forgetToken(host.steady ?? host, site, hash),
    },
  ],
  result: ({ site, get }) => ({ domain: site.domain, ...get(admitted) }),
})
