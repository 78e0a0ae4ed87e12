import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { SitePlace, SiteWork } from '#dashboard/web/api/site-call.ts'
import { planQuery, restoreSite } from '#dashboard/web/api/site-work.ts'
import { consentsOf } from '#dashboard/web/ui/accept.tsx'
import { useDialog } from '#dashboard/web/ui/dialog.tsx'
import { unicodeOf } from '#shared/kernel/unicode-domain.ts'
import { WorkDialog } from './work-dialog.tsx'

interface RestoreOptions {
  start: (work: SiteWork) => Promise<unknown>
  onStarted?: () => void
  onError: (error: unknown) => void
}

/**
 * Restores a site at once, unless its plan changes what Hosting Control did not create: then a
 * dialog asks for consent.
 */
export function useRestore(
  site: SitePlace & { domain: string },
  { start, onStarted, onError }: RestoreOptions,
) {
  const client = useQueryClient()
  const { dialog, show } = useDialog()
  const work = restoreSite(site)
  const { mutate, isPending } = useMutation({
    mutationFn: async () => {
      // Without a plan, the operation reports what prevents it.
      const plan = await client.fetchQuery(planQuery(work)).catch(() => undefined)
      const needsConsent = consentsOf(plan).length > 0
      if (!needsConsent) await start(work)
      return needsConsent
    },
    onSuccess: (needsConsent) => (needsConsent ? show() : onStarted?.()),
    onError,
  })
  return {
    restore: () => mutate(),
    isPending,
    dialog: (
      <WorkDialog
        {...dialog}
        title={`Restore ${unicodeOf(site.domain)}`}
        about="The site is restored with its files and its database, in the state in which it was deleted."
        site={site}
        work={work}
        action="Restore site"
      />
    ),
  }
}
