import type { Host } from '#agent/host/ports.ts'
import * as dropIn from '#agent/os/object-cache/drop-in.ts'
import { applyInstance, planInstance } from '#agent/os/object-cache/instance.ts'
import { objectCacheSteps } from '#agent/os/object-cache/programs.ts'
import { findSite, getSite, planWriteSite, type Site, writeSite } from '#agent/os/site/sites.ts'
import type { Command, Step } from '#agent/steps/command.ts'
import type { ParamsOf } from '#shared/commands.ts'
import { conflict, invalid } from '#shared/errors.ts'
import { apexOf } from '#shared/names.ts'
import { MOST_OBJECT_MEMORY } from '#shared/object-cache.ts'

type Params = ParamsOf<'site.object-cache'>

/** The record decides: until it is written every undo restores the former state. */
export const siteObjectCache: Command<'site.object-cache'> = {
  lock: ({ domain }) => apexOf(domain),
  steps: stepsOf,
  async plan(params, host) {
    await refuse(params, host)
    return [...(await preparing(params, host)), ...stepsOf(params, host)]
  },
  async finished(params, host) {
    const site = await findSite(host, params.domain)
    return site && isReached(site, params) ? resultOf(params) : undefined
  },
  async *run(params, { host, announce, perform }) {
    await refuse(params, host)
    const missing = await preparing(params, host)
    const steps = stepsOf(params, host)
    announce([...missing, ...steps])
    yield* perform(missing)
    yield* perform(steps)
    return resultOf(params)
  },
}

const resultOf = ({ domain, memory }: Params) => ({ domain, memory })
const isReached = ({ object_cache }: Site, { memory }: Params) =>
  (object_cache?.memory ?? null) === memory

function into({ object_cache: _, ...site }: Site, { memory }: Params): Site {
  return memory === null ? site : { ...site, object_cache: { memory } }
}

async function refuse({ domain, memory }: Params, host: Host): Promise<void> {
  const site = await getSite(host, domain)
  if (memory === null) return
  if (host.init !== 'systemd') throw conflict('An object cache needs a server with systemd')
  if (site.suspended) throw conflict(`${domain} is suspended: resume it first`)
  const most = MOST_OBJECT_MEMORY[site.tier]
  if (memory > most) {
    throw invalid({ memory: [`Must be at most ${most} on the tier ${site.tier}`] })
  }
  await dropIn.refuseOtherDropIn(host, site)
}

const preparing = async (params: Params, host: Host): Promise<Step[]> =>
  objectCacheSteps(host, into(await getSite(host, params.domain), params))

/**
 * WordPress never asks a cache that does not run: its drop-in is installed last, and removed first.
 */
function stepsOf(params: Params, host: Host): Step[] {
  const { domain, memory } = params
  const steady = host.steady ?? host
  const recorded = () => getSite(host, domain)
  const target = async () => into(await recorded(), params)
  const follow = async (on: Host, site: Site) =>
    site.object_cache ? dropIn.installDropIn(on, site) : dropIn.removeDropIn(on, site)
  const instance: Step = {
    name: 'object cache',
    title: memory === null ? 'Stopping the object cache' : 'Starting the object cache',
    effects: async () => planInstance(host, await target()),
    apply: async () => applyInstance(host, await target()),
    undo: async () => applyInstance(steady, await recorded()),
  }
  const file: Step = {
    name: 'drop-in',
    title: memory === null ? 'Removing the drop-in' : 'Installing the drop-in',
    effects: async () => {
      const plan = memory === null ? dropIn.planRemove : dropIn.planInstall
      return plan(host, await recorded())
    },
    apply: async () => follow(host, await target()),
    undo: async () => follow(steady, await recorded()),
  }
  return [
    ...(memory === null ? [file, instance] : [instance, file]),
    {
      name: 'record',
      title: 'Recording the site',
      effects: async () => planWriteSite(host, await target()),
      apply: async () => writeSite(host, await target()),
      decided: async () => isReached(await recorded(), params),
    },
  ]
}
