import { reading } from '#shared/kernel/reading.ts'
import { WitnessAnswer, WitnessRequest } from './record.ts'

/** Keeps the checkpoint of the record of the dashboard, unless the agent knows a later or other one. */
export const witnessReading = reading({
  at: 'POST /record',
  params: WitnessRequest,
  answer: WitnessAnswer,
  timeout_ms: 'contact',
})
