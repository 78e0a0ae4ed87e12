import { certificateTextOf } from '#agent/features/domains/certificate-text.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { onSite } from '#agent/kernel/site/on-site.ts'
import { findSite, type Site } from '#agent/kernel/site/sites.ts'
import { command, type Step } from '#agent/kernel/steps/command.ts'
import type { ParamsOf } from '#shared/commands.ts'
import { conflict, notFound } from '#shared/kernel/errors.ts'
import type { Switch } from '#shared/moves/moving.ts'
import { refuseMixed } from './mixed.ts'
import { returningSteps } from './returning-steps.ts'
import { arrivingSteps, partedSteps } from './switch-record.ts'
import { freezeSteps, servingSteps, thawSteps } from './switch-steps.ts'

type Params = ParamsOf<'site.switch'>

/** How the server serves one side of a move: each state is a call of its own. */
export const siteSwitch = command('site.switch', {
  lock: onSite.lock,
  check: async (params, host) => ({ site: await checked(host, params) }),
  async find(params, host) {
    const site = await findEither(host, params)
    return site && { site }
  },
  steps: ({ params, host, site }) => stepsOf(host, site, params),
  async *unfinished(reason) {
    yield `Warning: ${reason}`
  },
  async result({ host, site: { domain } }) {
    return { domain, certificate: await certificateTextOf(host, domain) }
  },
})

/** After an interruption in between, a site may be in both folders. */
async function findEither(host: Host, { domain, state }: Params): Promise<Site | undefined> {
  const [served, gone] = [await findSite(host, domain), await findSite(host, domain, 'moved')]
  return state === 'parted' ? (served ?? gone) : (gone ?? served)
}

const STATES: Record<Switch, (site: Site) => boolean> = {
  leaving: ({ moving }) => !moving?.closed && !moving?.parted,
  frozen: ({ moving }) => !moving?.closed && !moving?.parted,
  parted: () => true,
  returning: ({ moving }) => moving?.parted === true,
  arriving: ({ moving }) => moving?.parted === true,
  arrived: ({ moving }) => !moving?.parted,
  settled: ({ moving }) => !moving?.parted,
}

const NEED_PEER: Switch[] = ['leaving', 'parted', 'returning', 'arriving']

/** Throws conflict in a state that does not lead to the requested one. */
async function checked(host: Host, params: Params): Promise<Site> {
  const { domain, state, peers } = params
  const site = await findEither(host, params)
  if (!site) throw notFound(`Site ${domain}`)
  if (!STATES[state](site)) throw conflict(`${domain} cannot become ${state} on this server`)
  if (NEED_PEER.includes(state) && peers.length === 0)
    throw conflict('The address of the other server is missing')
  if (state === 'arriving') await refuseMixed(host, site)
  return site
}

function stepsOf(host: Host, site: Site, params: Params): Step[] {
  const { peers, challenges, certificate, state } = params
  const [to] = peers
  const { from } = site.moving ?? {}
  switch (state) {
    case 'leaving':
      return servingSteps(host, site, { ...(from && { from }), to, challenges }, certificate)
    case 'frozen':
      return freezeSteps(host, site)
    case 'parted':
      return partedSteps(host, site, { to, challenges, parted: true }, certificate)
    case 'returning':
      return returningSteps(host, site, { to, parted: true, from: peers }, certificate)
    case 'arriving':
      return arrivingSteps(host, site, { from: peers, closed: true })
    case 'arrived':
      return [...thawSteps(host, site), ...servingSteps(host, site, { from: peers })]
    case 'settled':
      return [...thawSteps(host, site), ...servingSteps(host, site, undefined)]
  }
}
