import { z } from 'zod'
import { command } from '#shared/kernel/command.ts'
import {
  bulkParams,
  completesWith,
  noParams,
  operationType,
} from '#shared/kernel/operation-type.ts'
import { IsolationCounts, IsolationResults } from './isolation.ts'

/** Completes also when attacks succeed: `counts` and `results` name them. */
export const isolationCheck = command({
  name: 'isolation.check',
  summary: 'Attack one temporary site from another one, and remove both',
  changes: true,
  minutes: 20,
  params: z.object({}),
  result: z.object({
    checked_at: z.iso.datetime(),
    counts: IsolationCounts,
    results: IsolationResults,
  }),
})

export const isolationCheckType = operationType({
  name: 'Check isolation',
  title: 'Check the isolation of',
  target: 'server',
  command: isolationCheck,
  right: 'operate',
  excludes: 'same_type',
  params: noParams,
  confirms: {},
  outcome: completesWith(isolationCheck.result),
  bulk: { title: 'Check isolation of', params: bulkParams({}), words: {} },
})
