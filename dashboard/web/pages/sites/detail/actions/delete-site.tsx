import { type QueryClient, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { cancelOperation, isActive, operationQuery } from '#dashboard/web/api/operations.ts'
import { deleteSite, planQuery, restoreSite, type SiteWork } from '#dashboard/web/api/site-work.ts'
import type { Site } from '#dashboard/web/api/sites.ts'
import { BeforeChange } from '#dashboard/web/features/backups/before-change.tsx'
import { useStart } from '#dashboard/web/features/sites/use-show-operation.ts'
import { WorkDialog } from '#dashboard/web/features/sites/work-dialog.tsx'
import type { DialogState } from '#dashboard/web/ui/dialog.tsx'
import { toast, toastError } from '#dashboard/web/ui/toasts.tsx'
import { unicodeOf } from '#shared/kernel/unicode-domain.ts'

const TEXTS = {
  /** It is on its server. */
  trash: {
    about:
      'The site goes offline and moves to the trash. You can restore it from there until it is deleted automatically.',
    action: 'Move to trash',
  },
  /** Nothing of it is there. */
  record: {
    about:
      'The site is removed from the dashboard at once. It does not go to the trash, because there is nothing on the server that could be restored.',
    action: 'Remove site',
  },
  /** The server has not answered yet, or is offline. */
  unknown: {
    about:
      'If the server still has files or a database of the site, they move to the trash. Otherwise the site is removed from the dashboard at once and cannot be restored.',
    action: 'Delete site',
  },
} as const

const PAUSE_MS = 3000

const RESULTS: Partial<Record<Site['status'], keyof typeof TEXTS>> = {
  active: 'trash',
  suspended: 'trash',
  failed: 'unknown',
  cancelled: 'unknown',
  missing: 'unknown',
}

export const isDeletable = ({ status, found }: Site): boolean =>
  !found && RESULTS[status] !== undefined

/** Moves a site to the trash where its server has something to restore. */
export function DeleteSite({ site, ...dialog }: DialogState & { site: Site }) {
  const expected = RESULTS[site.status] ?? 'unknown'
  // The plan of the server shows whether something can be restored.
  const { data: plan } = useQuery({ ...planQuery(deleteSite(site)), subscribed: dialog.open })
  const result = plan ? (plan.steps.length > 0 ? 'trash' : 'record') : expected
  const { about, action } = TEXTS[result]
  const start = useTrash(site)
  const [without_backup, setWithout] = useState(false)
  return (
    <WorkDialog
      {...dialog}
      title={`Delete ${unicodeOf(site.domain)}?`}
      about={about}
      site={site}
      work={deleteSite(site, without_backup)}
      action={action}
      isDestructive
      isPermanent={result !== 'trash'}
      start={result === 'trash' ? start : undefined}
    >
      <BeforeChange
        site={site}
        label="Delete without a backup"
        checked={without_backup}
        onChange={setWithout}
      />
    </WorkDialog>
  )
}

/** Until then an undo is a cancellation: the deletion may wait for a backup. */
async function ended(client: QueryClient, operation_id: string): Promise<void> {
  const query = { ...operationQuery(operation_id), staleTime: 0 }
  while (isActive(await client.fetchQuery(query)))
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
}

/** Moves a site to the trash, and offers to undo it. */
function useTrash(site: Site) {
  const client = useQueryClient()
  const start = useStart(site.id)
  const { mutate } = useMutation({
    mutationFn: async (operation_id: string) => {
      const operation = await client.fetchQuery({ ...operationQuery(operation_id), staleTime: 0 })
      if (isActive(operation)) await cancelOperation(operation_id)
      else await start(restoreSite(site))
    },
    onError: toastError,
    onSettled: () => client.invalidateQueries({ queryKey: ['operations'] }),
  })
  return async (work: SiteWork) => {
    const operation = await start(work)
    if (operation === undefined) return
    const undo = { name: 'Undo', act: () => mutate(operation), while: ended(client, operation) }
    toast(`Moving ${unicodeOf(site.domain)} to the trash`, { undo })
  }
}
