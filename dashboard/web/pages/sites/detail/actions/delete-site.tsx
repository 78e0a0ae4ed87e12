import { useQuery } from '@tanstack/react-query'
import { deleteSite, planQuery } from '#dashboard/web/api/site-work.ts'
import type { Site } from '#dashboard/web/api/sites.ts'
import { WorkDialog } from '#dashboard/web/features/sites/work-dialog.tsx'
import { useTrash } from './use-trash.ts'

const WORDS = {
  /** It is on its server. */
  trash: {
    about:
      'The site goes offline at once and moves to the trash. You can restore it from there until it is deleted automatically.',
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

const KEPT: Partial<Record<Site['status'], keyof typeof WORDS>> = {
  active: 'trash',
  suspended: 'trash',
  failed: 'unknown',
  cancelled: 'unknown',
  missing: 'unknown',
}

export const isDeletable = ({ status, found }: Site): boolean =>
  !found && KEPT[status] !== undefined

interface DeleteSiteProps {
  site: Site
  open: boolean
  onClose: () => void
}

/** Moves a site to the trash where its server has something to restore. */
export function DeleteSite({ site, open, onClose }: DeleteSiteProps) {
  const usual = KEPT[site.status] ?? 'unknown'
  // The plan of the server says whether there is anything to keep.
  const { data: plan } = useQuery({
    ...planQuery(deleteSite(site)),
    subscribed: open,
  })
  const kept = plan ? (plan.steps.length > 0 ? 'trash' : 'record') : usual
  const { about, action } = WORDS[kept]
  const start = useTrash(site)
  return (
    <WorkDialog
      open={open}
      onClose={onClose}
      title={`Delete ${site.domain}?`}
      about={about}
      site={site}
      work={deleteSite(site)}
      action={action}
      isDestructive
      isPermanent={kept !== 'trash'}
      start={kept === 'trash' ? start : undefined}
    />
  )
}
