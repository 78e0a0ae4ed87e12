import { State } from '#shared/agent.ts'
import { AgentOperations, AgentOperationsQuery } from '#shared/agent-operations.ts'
import { PulseRequest } from '#shared/agent-requests.ts'
import { Pulse } from '#shared/pulse.ts'
import { NoParams, reading } from '#shared/reading.ts'
import { Report } from '#shared/report.ts'

export const stateReading = reading({
  at: 'GET /state',
  params: NoParams,
  answer: State,
  timeout_ms: 'contact',
})

/** Held until the health of a site changes. */
export const pulseReading = reading({
  at: 'GET /pulse',
  params: PulseRequest,
  answer: Pulse,
  is_held: true,
})

export const reportReading = reading({ at: 'GET /report', params: NoParams, answer: Report })

/** The newest operations of an agent since a time, without their params. */
export const operationsReading = reading({
  at: 'GET /operations',
  params: AgentOperationsQuery,
  answer: AgentOperations,
})
