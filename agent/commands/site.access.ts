import { isDeepStrictEqual } from 'node:util'
import type { Host } from '#agent/host/ports.ts'
import { accessOf } from '#agent/os/access/access.ts'
import { endSessions } from '#agent/os/access/sessions.ts'
import { deferred } from '#agent/os/effects/change.ts'
import { run } from '#agent/os/effects/effects.ts'
import { findSite, getSite, planWriteSite, type Site, writeSite } from '#agent/os/site/sites.ts'
import { reportOf } from '#agent/os/ssh/report.ts'
import { groupSteps, installSteps, refuseWithoutSshd, sshdSteps } from '#agent/os/ssh/sshd.ts'
import type { Command, Step } from '#agent/steps/command.ts'
import type { ParamsOf } from '#shared/commands.ts'
import { apexOf } from '#shared/names.ts'
import type { AccessGrant } from '#shared/site-access.ts'

type Params = ParamsOf<'site.access'>

/** The record decides who may log in; until it is written every undo restores the old access. */
export const siteAccess: Command<'site.access'> = {
  lock: ({ domain }) => apexOf(domain),
  async steps(params, host) {
    const site = await findSite(host, params.domain)
    return site ? [...(await sshdSteps(host, site.user)), ...accessSteps(params, host)] : []
  },
  plan: prepared,
  async finished(params, host) {
    const site = await findSite(host, params.domain)
    return site && isReached(site, params) ? reportOf(host, site) : undefined
  },
  async *run(params, { host, announce, perform }) {
    const steps = await prepared(params, host)
    announce(steps)
    yield `Changing who may log in to ${params.domain}`
    yield* perform(steps)
    return reportOf(host, await getSite(host, params.domain))
  },
}

/** The access is in place before sshd is asked how it treats the user: no key is valid until then. */
async function prepared(params: Params, host: Host): Promise<Step[]> {
  const { user } = await getSite(host, params.domain)
  const [keys, ...others] = accessSteps(params, host)
  if (params.grants.length === 0 || !keys) return accessSteps(params, host)
  await refuseWithoutSshd(host, params.install)
  return [
    ...(await installSteps(host)),
    ...(await groupSteps(host)),
    keys,
    ...(await sshdSteps(host, user)),
    ...others,
  ]
}

/** Without the access the record is as it was before the first one. */
function withAccess({ access: _, ...site }: Site, grants: AccessGrant[]): Site {
  return grants.length === 0 ? site : { ...site, access: grants }
}

const isReached = (site: Site, { grants }: Params) => isDeepStrictEqual(site.access ?? [], grants)

function accessSteps(params: Params, host: Host): Step[] {
  const { domain, grants } = params
  const recorded = () => getSite(host, domain)
  const target = async () => withAccess(await recorded(), grants)
  const steady = host.steady ?? host
  return [
    {
      name: 'keys',
      title: 'Writing the keys of people',
      ...deferred(async () => accessOf(host, await target())),
      undo: async () => accessOf(steady, await getSite(steady, domain)).apply(),
    },
    {
      name: 'sessions',
      title: 'Ending sessions without access',
      effects: async () => ((await loses(host, params)) ? [run('stop', 'SSH sessions')] : []),
      async apply() {
        if (await loses(host, params)) await endSessions(host, (await recorded()).user)
      },
    },
    {
      name: 'record',
      title: 'Recording the access',
      effects: async () => planWriteSite(host, await target()),
      apply: async () => writeSite(host, await target()),
      decided: async () => isReached(await recorded(), params),
    },
  ]
}

/** Whether a key loses its access, or its sessions must end earlier. Others can log in again. */
async function loses(host: Host, { domain, grants }: Params): Promise<boolean> {
  const { access = [] } = await getSite(host, domain)
  return access.some((former) => {
    const grant = grants.find(({ id }) => id === former.id)
    const isLess = grant?.kind !== former.kind || endOf(grant) < endOf(former)
    return isLess || former.keys.some((key) => !grant.keys.includes(key))
  })
}

const endOf = ({ expires_at }: AccessGrant): number =>
  expires_at === null ? Number.POSITIVE_INFINITY : Date.parse(expires_at)
