import { z } from 'zod'
import { NoParams, reading } from '#shared/kernel/reading.ts'
import { PhpReport } from '#shared/php/php-installed.ts'
import { MaintenanceAnswer } from '#shared/updates/maintenance.ts'
import { AgentBuild, Conditions, Metrics, Services } from './agent.ts'

export const livenessReading = reading({
  at: 'GET /health',
  params: NoParams,
  answer: z.object({ status: z.literal('ok') }),
  timeout_ms: 'contact',
})

export const metricsReading = reading({
  at: 'GET /metrics',
  params: NoParams,
  answer: Metrics,
  timeout_ms: 'contact',
})

export const servicesReading = reading({ at: 'GET /services', params: NoParams, answer: Services })

/** The obstacles to new sites; at most some seconds old. */
export const conditionsReading = reading({
  at: 'GET /conditions',
  params: NoParams,
  answer: Conditions,
  timeout_ms: 'contact',
})

export const buildReading = reading({
  at: 'GET /build',
  params: NoParams,
  answer: AgentBuild,
  timeout_ms: 'contact',
})

export const phpReading = reading({
  at: 'GET /php',
  params: NoParams,
  answer: PhpReport,
  timeout_ms: 'contact',
})

/** The last check of the updates; null before the first one. */
export const maintenanceReading = reading({
  at: 'GET /maintenance',
  params: NoParams,
  answer: MaintenanceAnswer,
})
