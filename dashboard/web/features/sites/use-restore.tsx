import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { planQuery, restoreSite, type SiteWork } from '#dashboard/web/api/site-work.ts'
import { wordsOf } from '#dashboard/web/ui/accept.tsx'
import { WorkDialog } from './work-dialog.tsx'

interface Restored {
  id: number
  server_id: number
  domain: string
}

/**
 * Restores a site at once, unless its plan changes what Hosting Control did not create: then it
 * asks.
 */
export function useRestore(
  site: Restored,
  { start, ...callbacks }: { start: (work: SiteWork) => Promise<unknown> } & Telling,
) {
  const client = useQueryClient()
  const [isAsking, setAsking] = useState(false)
  const work = restoreSite(site)
  const { mutate, isPending } = useMutation({
    mutationFn: async () => {
      // Without a plan, the operation reports what prevents it.
      const plan = await client.fetchQuery(planQuery(work)).catch(() => undefined)
      const asks = wordsOf(plan).length > 0
      if (!asks) await start(work)
      return { asks }
    },
    onSuccess: ({ asks }) => (asks ? setAsking(true) : callbacks.onStarted?.()),
    onError: callbacks.onError,
  })
  return {
    restore: () => mutate(),
    isPending,
    dialog: (
      <WorkDialog
        open={isAsking}
        onClose={() => setAsking(false)}
        title={`Restore ${site.domain}`}
        about="The site comes back with its files and its database, as it was when it was deleted."
        site={site}
        work={work}
        action="Restore site"
      />
    ),
  }
}

interface Telling {
  onStarted?: () => void
  onError: (error: unknown) => void
}
