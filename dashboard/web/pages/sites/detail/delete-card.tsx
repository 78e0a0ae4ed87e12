import { useQuery } from '@tanstack/react-query'
import { Trash2 } from 'lucide-react'
import { useState } from 'react'
import { deleteSite, planQuery } from '#dashboard/web/api/site-work.ts'
import type { Site } from '#dashboard/web/api/sites.ts'
import { WorkDialog } from '#dashboard/web/features/sites/work-dialog.tsx'
import { Button } from '#dashboard/web/ui/button.tsx'
import { Card } from '#dashboard/web/ui/page.tsx'

const WORDS = {
  /** It is on its server. */
  trash: {
    card: 'Takes it offline and moves it to the trash, with its files and its database. It can be restored from there.',
    about:
      'The site goes offline at once and moves to the trash. You can restore it from there until it is deleted automatically.',
    action: 'Move to the trash',
  },
  /** Nothing of it is there. */
  record: {
    card: 'Removes it from the dashboard at once. It does not go to the trash: nothing of it is left on the server.',
    about:
      'The site is removed from the dashboard at once. It does not go to the trash, because there is nothing on the server that could be restored.',
    action: 'Remove site',
  },
  /** The server has not said, and cannot be asked. */
  unknown: {
    card: 'Removes it from the dashboard. It moves to the trash only if something of it is still on the server.',
    about:
      'If the server still has something of it, that moves to the trash. Otherwise the site is removed from the dashboard at once and cannot be restored.',
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

/** To the trash, from where it can come back, where there is something that could. */
export function DeleteCard({ site }: { site: Site }) {
  const [open, setOpen] = useState(false)
  const usual = KEPT[site.status]
  // The plan of the server says whether there is anything to keep.
  const { data: plan } = useQuery({
    ...planQuery(deleteSite(site)),
    enabled: usual === 'unknown',
    subscribed: open,
  })
  if (!usual) return null
  const { card, about, action } = WORDS[plan ? (plan.steps.length > 0 ? 'trash' : 'record') : usual]
  return (
    <Card title="Delete">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p className="min-w-0 flex-1 basis-48 text-muted">{card}</p>
        <Button kind="danger" icon={<Trash2 aria-hidden />} onClick={() => setOpen(true)}>
          Delete site
        </Button>
      </div>
      <WorkDialog
        open={open}
        onClose={() => setOpen(false)}
        title={`Delete ${site.domain}?`}
        about={about}
        site={site}
        work={deleteSite(site)}
        action={action}
        isDestructive
      />
    </Card>
  )
}
