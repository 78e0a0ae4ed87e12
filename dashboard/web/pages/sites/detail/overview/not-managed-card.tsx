import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Eye, EyeOff } from 'lucide-react'
import { ignoreSite, type Site } from '#dashboard/web/api/sites.ts'
import { AccessRow } from '#dashboard/web/features/sites/access/access-row.tsx'
import { Button } from '#dashboard/web/ui/button.tsx'
import { Card } from '#dashboard/web/ui/page.tsx'
import { toast, toastError } from '#dashboard/web/ui/toasts.tsx'
import { unicodeOf } from '#shared/kernel/unicode-domain.ts'

/** The actions of a site that Hosting Control did not create: it is read and never changed. */
export function NotManagedCard({ site }: { site: Site }) {
  // The agent created it for another dashboard, or its record was lost.
  if (!site.found)
    return (
      <Card title="Found on its server">
        <Ignore site={site} />
      </Card>
    )
  return (
    <Card title="Not managed by Hosting Control">
      <div className="flex flex-col gap-3">
        <p className="text-muted">
          This site was found on {site.server}. Hosting Control did not create it and does not
          change it: its PHP, its certificate, its jobs and its files are managed on the server.
          {site.status === 'missing' &&
            ' It is removed from here a week after it was last found, unless it was scanned.'}
        </p>
        <Ignore site={site} />
      </div>
    </Card>
  )
}

function Ignore({ site }: { site: Site }) {
  const client = useQueryClient()
  const { id, domain, ignored } = site
  const { mutate, isPending } = useMutation({
    mutationFn: () => ignoreSite(site, !ignored),
    onSuccess: async () => {
      toast(
        ignored
          ? `${unicodeOf(domain)} is shown in lists again`
          : `${unicodeOf(domain)} is ignored`,
      )
      await client.invalidateQueries({ predicate: ({ queryKey: [of] }) => CHANGED.has(of) })
    },
    onError: toastError,
  })
  return (
    <AccessRow
      name={ignored ? 'Ignored' : 'Ignore'}
      about={
        ignored
          ? 'Hidden from lists, counts and the overview. Nothing was changed on the server.'
          : 'Hides the site from lists, counts and the overview. Nothing changes on the server.'
      }
    >
      <Button
        needs="operate"
        key={id}
        icon={ignored ? <Eye /> : <EyeOff />}
        busy={isPending}
        onClick={() => mutate()}
      >
        {ignored ? 'Show site again' : 'Ignore site'}
      </Button>
    </AccessRow>
  )
}

/** What lists, counts or shows sites. */
const CHANGED: ReadonlySet<unknown> = new Set([
  'site',
  'sites',
  'site-ids',
  'fleet',
  'servers',
  'activity',
])
