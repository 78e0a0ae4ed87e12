import { AgentOperations, AgentOperationsQuery } from '#shared/kernel/agent-operations.ts'
import { reading } from '#shared/kernel/reading.ts'
import { Changes, ChangesRequest } from './changes.ts'

/** Everything that a dashboard records of a server: answered as soon as a part has changed. */
export const changesReading = reading({
  at: 'GET /changes',
  params: ChangesRequest,
  answer: Changes,
  is_held: true,
})

/** The newest operations of an agent since a time, without their params. */
export const operationsReading = reading({
  at: 'GET /operations',
  params: AgentOperationsQuery,
  answer: AgentOperations,
})
