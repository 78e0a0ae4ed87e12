import { useNavigate } from '@tanstack/react-router'
import { RefreshCw, UserX } from 'lucide-react'
import { startBulk } from '#dashboard/web/api/bulk-operations.ts'
import { Button } from '#dashboard/web/ui/button.tsx'
import { Confirm } from '#dashboard/web/ui/confirm.tsx'
import { useDialog } from '#dashboard/web/ui/dialog.tsx'
import { formatCount } from '#dashboard/web/ui/format.ts'
import type { Person } from '#shared/access/api/access.ts'

const idsOf = (sites: Person['sites']) => sites.map(({ site_id }) => site_id)

/** What is done on all sites of a person at once. */
export function OnSites({ person: { id, name, sites } }: { person: Person }) {
  const removing = useDialog()
  const navigate = useNavigate()
  const run = async (site_ids: number[], params: object) => {
    const bulk_id = await startBulk({ type: 'site.access', params, targets: { site_ids } })
    await navigate({ to: '/operations/bulk/$bulk_id', params: { bulk_id } })
  }
  const outdated = sites.filter(({ applied }) => !applied)
  return (
    <>
      {outdated.length > 0 && (
        <Button icon={<RefreshCw />} onClick={() => run(idsOf(outdated), {})}>
          Update {formatCount(outdated.length, 'site')}
        </Button>
      )}
      <Button
        icon={<UserX />}
        aria-label={`Remove from all sites: ${name}`}
        onClick={removing.show}
      >
        Remove from all sites
      </Button>
      <Confirm
        {...removing.dialog}
        title={`Remove ${name} from ${formatCount(sites.length, 'site')}?`}
        action="Remove access"
        isDestructive
        onConfirm={() => run(idsOf(sites), { revoke: id })}
      >
        {name} cannot log in to these sites any more, and all SFTP sessions of these sites end.
        Other people can log in again immediately. A site whose server is offline is listed as
        failed: retry it later.
      </Confirm>
    </>
  )
}
