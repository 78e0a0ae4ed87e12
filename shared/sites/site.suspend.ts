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

const siteSuspend = command({
  name: 'site.suspend',
  summary: 'Suspend a site: visitors see a page with the status 503, and its jobs stop',
  changes: true,
  params: z.object({ domain: Domain }),
  result: z.object({ domain: ReportedDomain }),
})

export const siteSuspendType = operationType({
  name: 'Suspend site',
  title: 'Suspend',
  target: 'site',
  command: siteSuspend,
  right: 'operate',
  params: noParams,
  confirms: SAME_DOMAIN,
  outcome: completesWith(siteSuspend.result),
  action: {
    path: 'suspend',
    call: 'suspendSite',
    summary: 'Suspend a site: visitors see a page with the status 503, and its jobs stop',
    done: 'Suspended',
    about:
      'Visitors of each of them see a page with the status 503, and its jobs stop. Its files, its database and its backups stay.',
    icon: 'pause',
    state: 'active',
  },
  bulk: { title: 'Suspend', params: bulkParams({}), words: {} },
})
