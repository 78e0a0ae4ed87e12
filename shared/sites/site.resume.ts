import { z } from 'zod'
import { command } from '#shared/kernel/command.ts'
import { Domain, ReportedDomain } from '#shared/kernel/fields.ts'
import {
  bulkParams,
  completesWith,
  noParams,
  operationType,
  SAME_DOMAIN,
} from '#shared/kernel/operation-type.ts'

const siteResume = command({
  name: 'site.resume',
  summary: 'Resume a suspended site',
  changes: true,
  params: z.object({ domain: Domain }),
  result: z.object({ domain: ReportedDomain }),
})

export const siteResumeType = operationType({
  name: 'Resume site',
  title: 'Resume',
  target: 'site',
  command: siteResume,
  right: 'operate',
  params: noParams,
  confirms: SAME_DOMAIN,
  outcome: completesWith(siteResume.result),
  action: {
    path: 'resume',
    call: 'resumeSite',
    summary: 'Resume a suspended site',
    done: 'Resumed',
    about: 'Shows each of them to visitors again and starts its jobs.',
    icon: 'play',
    state: 'suspended',
  },
  bulk: { title: 'Resume', params: bulkParams({}), words: {} },
})
