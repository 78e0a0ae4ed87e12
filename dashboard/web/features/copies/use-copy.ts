import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { refusalsIn } from '#dashboard/web/api/client.ts'
import { cloneSite, type NewCopy } from '#dashboard/web/api/copies.ts'
import { planQuery } from '#dashboard/web/api/site-work.ts'
import { useDnsChoice, useShowRecordsAnew } from '#dashboard/web/features/sites/dns-choice.tsx'
import { useWorkConsent } from '#dashboard/web/features/sites/use-work-consent.tsx'
import { usePaused } from '#dashboard/web/ui/use-paused.ts'
import type { DnsChoice } from '#shared/domains/dns-choice.ts'
import { Domain } from '#shared/kernel/fields.ts'
import { pairOf } from '#shared/kernel/site-names.ts'
import { type Chosen, fromOf, type Origin } from './origin.ts'

/** The values of the form. */
export interface CopyDraft {
  domain: string
  server_id: number | undefined
  chosen: Chosen
  /** Empty: as the original. */
  php: string
  staging: boolean
  with_jobs: boolean
}

const PAUSE_MS = 400

/** The plan of a copy while its form is filled in, and its start. */
export function useCopy(origin: Origin, draft: CopyDraft, onStarted: () => void) {
  const client = useQueryClient()
  const navigate = useNavigate()
  const paused = usePaused(JSON.stringify(draft), PAUSE_MS)
  const settled: CopyDraft = JSON.parse(paused)
  const typed = Domain.safeParse(draft.domain)
  const isSettled = paused === JSON.stringify(draft)
  const names = Domain.safeParse(settled.domain).success ? pairOf(settled.domain) : []
  const records = useDnsChoice(settled.server_id ?? 0, settled.server_id ? names : [])
  const work = records.isOpen ? undefined : workOf(origin, settled, records.chosen)
  const planning = useQuery({ ...planQuery(work ?? NOTHING), enabled: work !== undefined })
  const consent = useWorkConsent(work)
  const { mutate, reset, isPending, error } = useMutation({
    mutationFn: async () => work?.begin(consent.accepting),
    onError: useShowRecordsAnew(),
    onSuccess: async (made) => {
      onStarted()
      void client.invalidateQueries({ queryKey: ['sites'] })
      void client.invalidateQueries({ queryKey: ['site'] })
      if (!made) return
      const { id, operation } = made
      await navigate({
        to: '/sites/$site_id',
        params: { site_id: String(id) },
        search: operation ? { operation } : {},
      })
    },
  })
  const refused = { ...refusalsIn(planning.error), ...refusalsIn(error) }
  const mistake = typed.success ? undefined : typed.error.issues[0]?.message
  const hasRefusals = Object.keys(refused).length > 0
  return {
    /** Undefined while it has no plan. */
    work: hasRefusals ? undefined : work,
    refusals: {
      ...refused,
      ...(draft.domain !== '' && mistake !== undefined && { domain: mistake }),
    } as Record<string, string>,
    isBlocked: !isSettled || work === undefined || hasRefusals || consent.isOpen,
    isBusy: isPending,
    error: Object.keys(refusalsIn(error)).length > 0 ? undefined : error,
    records: records.fields,
    question: consent.question,
    start: () => mutate(),
    /** After a change of the form. */
    forget: reset,
  }
}

const NOTHING = { key: [], call: () => Promise.reject(new Error('No work')) }

/** Undefined until everything is chosen. */
function workOf(
  origin: Origin,
  { domain, server_id, chosen, php, staging, with_jobs }: CopyDraft,
  records: { dns?: DnsChoice },
) {
  const from = fromOf(origin, chosen)
  if (!Domain.safeParse(domain).success || server_id === undefined || !from) return undefined
  const jobs = staging ? {} : { with_jobs }
  const input: NewCopy = { domain, from, staging, ...jobs, ...(php && { php }), ...records }
  return cloneSite(server_id, input)
}
