import { listPhp } from '#agent/features/php/extensions.ts'
import { readMaintenance } from '#agent/features/updates/maintenance-state.ts'
import { buildOf } from '#agent/features/updates/upgrade/build.ts'
import { perHost, reading } from '#agent/kernel/calls/reading.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import {
  buildReading,
  conditionsReading,
  livenessReading,
  maintenanceReading,
  metricsReading,
  phpReading,
  servicesReading,
} from '#shared/servers/readings.ts'
import { listConditions } from './conditions.ts'
import { metricsReader } from './metrics.ts'
import { serviceStatuses } from './service-status.ts'

const CACHE_MS = 15_000

export const liveness = reading(livenessReading, async () => ({ status: 'ok' }))

const metricsOf = perHost(metricsReader)
export const metrics = reading(metricsReading, ({ host }) => metricsOf(host)())

export const services = reading(servicesReading, async ({ host }) => ({
  services: await serviceStatuses(host),
}))

const conditionsOf = perHost((host) => cachedFor15s(host, () => listConditions(host)))
export const conditions = reading(conditionsReading, async ({ host }) => ({
  conditions: await conditionsOf(host)(),
}))

export const build = reading(buildReading, ({ host }) => buildOf(host))

export const php = reading(phpReading, async ({ host }) => ({ php: await listPhp(host) }))

export const maintenance = reading(maintenanceReading, async ({ host }) => ({
  maintenance: await readMaintenance(host),
}))

/** Reuses one answer for some seconds: every open page requests it. */
function cachedFor15s<T>({ clock }: Pick<Host, 'clock'>, read: () => Promise<T>): () => Promise<T> {
  let last: { answer: Promise<T>; until: number } | undefined
  return () => {
    if (last && clock.elapsed() < last.until) return last.answer
    const answer = read()
    last = { answer, until: clock.elapsed() + CACHE_MS }
    answer.catch(() => {
      last = undefined
    })
    return answer
  }
}
