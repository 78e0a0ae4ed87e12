import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { ApiError, refusalsIn } from '#dashboard/web/api/client.ts'
import { createSite, type PlannedSite, planSite } from '#dashboard/web/api/sites.ts'
import { useRefreshRecords } from '#dashboard/web/features/sites/dns-choice.tsx'
import { consentsOf } from '#dashboard/web/ui/accept.tsx'
import type { DnsChoice } from '#shared/domains/dns-choice.ts'
import { type Draft, forgetDraft, siteOf } from './draft.ts'

/** Called with the refused field. */
type OnRefused = (field: string) => void

/** Requests the plan of the form, then creates exactly that. */
export function useCreation(draft: Draft) {
  const client = useQueryClient()
  const navigate = useNavigate()
  const { server_id = 0 } = draft
  const planning = useMutation({ mutationFn: () => planSite(server_id, siteOf(draft)) })
  const consents = consentsOf(planning.data?.plan)
  const creating = useMutation({
    mutationFn: (chosen: { dns?: DnsChoice }) => {
      const site = { ...(planning.data?.site ?? siteOf(draft)), ...chosen }
      return createSite(server_id, consents.length > 0 ? { ...site, accept: consents } : site)
    },
    onError: useRefreshRecords(),
    onSuccess: async ({ site, operation_id }) => {
      forgetDraft()
      void client.invalidateQueries({ queryKey: ['sites'] })
      await navigate({
        to: '/sites/$site_id',
        params: { site_id: String(site.id) },
        search: operation_id ? { operation: operation_id } : {},
      })
    },
  })
  const refusals = { ...refusalsIn(planning.error), ...refusalsIn(creating.error) }
  return {
    server_id,
    /** The plan of the current form; undefined when the server could not be reached. */
    planned: planning.data as PlannedSite | undefined,
    isPlanned: planning.isSuccess || (planning.isError && isOptional(planning.error)),
    isPlanning: planning.isPending,
    /** Why there is no plan, or why the site could not be created. */
    error: creating.error ?? planning.error,
    isCreating: creating.isPending,
    refusals,
    plan: (onRefused: OnRefused) => planning.mutate(undefined, { onError: reporting(onRefused) }),
    create: (onRefused: OnRefused, chosen: { dns?: DnsChoice }) =>
      creating.mutate(chosen, { onError: reporting(onRefused) }),
    forget: () => {
      planning.reset()
      creating.reset()
    },
  }
}

export type Creation = ReturnType<typeof useCreation>

/** Whether a site can be created without its plan: the operation waits for an offline server. */
function isOptional(error: unknown): boolean {
  return error instanceof ApiError && [0, 409, 503].includes(error.status)
}

function reporting(onRefused: OnRefused) {
  return (error: unknown) => {
    const [field] = Object.keys(refusalsIn(error))
    if (field) onRefused(field)
  }
}
