import { Trash2 } from 'lucide-react'
import { useState } from 'react'
import { deleteSite } from '../../api/site-work.ts'
import type { Site } from '../../api/sites.ts'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/page.tsx'
import { WorkDialog } from './work-dialog.tsx'

const DELETABLE: readonly Site['status'][] = ['active', 'suspended', 'failed', 'missing']

/** To the trash, from where it can come back. */
export function DeleteCard({ site }: { site: Site }) {
  const [open, setOpen] = useState(false)
  if (!DELETABLE.includes(site.status)) return null
  return (
    <Card title="Delete">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p className="min-w-0 flex-1 basis-48 text-muted">
          Takes it offline and moves it to the trash, with its files and its database. It can be
          restored from there.
        </p>
        <Button kind="danger" icon={<Trash2 aria-hidden />} onClick={() => setOpen(true)}>
          Delete site
        </Button>
      </div>
      <WorkDialog
        open={open}
        onClose={() => setOpen(false)}
        title={`Delete ${site.domain}?`}
        about="It goes offline at once and to the trash. Restore it from there, here or on the trash page, until its time is over."
        site={site}
        work={deleteSite(site)}
        action="Move to the trash"
        isDestructive
      />
    </Card>
  )
}
