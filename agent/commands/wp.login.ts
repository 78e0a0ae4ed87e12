import type { Host } from '#agent/host/ports.ts'
import { create } from '#agent/os/effects/effects.ts'
import { admitToken, forgetToken } from '#agent/os/login/tokens.ts'
import { allSitesSteps } from '#agent/os/provision/all-sites.ts'
import { findSite, getSite, type Site } from '#agent/os/site/sites.ts'
import type { Command, Step } from '#agent/steps/command.ts'
import type { ParamsOf } from '#shared/commands.ts'
import { apexOf } from '#shared/names.ts'

type Login = ParamsOf<'wp.login'>

/**
 * Nothing is installed in the site: root's program exchanges the token for a session in the PHP of
 * the site. The token exists at the dashboard and in the browser of its user only.
 */
export const wpLogin: Command<'wp.login'> = {
  lock: ({ domain }) => apexOf(domain),
  async steps(login, host) {
    const site = await findSite(host, login.domain)
    return site ? [tokenStep(host, site, login, {})] : []
  },
  plan: async (login, host) => {
    const site = await getSite(host, login.domain)
    return [...(await allSitesSteps(host)), tokenStep(host, site, login, {})]
  },
  async *run(login, { host, perform }) {
    const site = await getSite(host, login.domain)
    const admitted: Admitted = {}
    yield* perform([...(await allSitesSteps(host)), tokenStep(host, site, login, admitted)])
    const { user = '', url = '' } = admitted
    return { domain: site.domain, user, url }
  },
}

interface Admitted {
  user?: string
  url?: string
}

const tokenStep = (
  host: Host,
  site: Site,
  { user_id, token_hash: hash }: Login,
  admitted: Admitted,
): Step => ({
  name: 'token',
  title: `Preparing a login to ${site.domain}`,
  effects: [create('login', site.domain)],
  apply: async () => void Object.assign(admitted, await admitToken(host, site, { user_id, hash })),
  undo: () => forgetToken(host.steady ?? host, site, hash),
})
