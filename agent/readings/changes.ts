import { perHost, reading } from '#agent/calls/reading.ts'
import {
  operationsReading,
  pulseReading,
  reportReading,
  stateReading,
} from '#shared/readings/changes.ts'
import { numbersReading, siteHealthReading } from '#shared/readings/sites.ts'
import { pulseOf } from './pulse.ts'
import { reportOf } from './report.ts'
import { stateReader } from './state.ts'

export const siteHealth = reading(siteHealthReading, async ({ health }) => ({ sites: health() }))

export const numbers = reading(numbersReading, async ({ numbers: counted, params }) => ({
  sites: counted.list(params.since),
}))

const states = perHost(stateReader)
export const state = reading(stateReading, ({ host, ask }) => states(host)(ask))

export const pulse = reading(pulseReading, pulseOf)

export const report = reading(reportReading, ({ host, ask }) =>
  reportOf((path) => ask(`GET ${path}`, {}), host.clock),
)

export const operations = reading(operationsReading, ({ runner, params }) =>
  runner.since(params.since),
)
