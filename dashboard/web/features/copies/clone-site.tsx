import { useQuery } from '@tanstack/react-query'
import { siteBackupsQuery } from '#dashboard/web/api/backups.ts'
import type { Site } from '#dashboard/web/api/sites.ts'
import type { DialogState } from '#dashboard/web/ui/dialog.tsx'
import { CloneDialog } from './clone-dialog.tsx'
import type { Chosen } from './origin.ts'

interface CloneSiteProps extends DialogState {
  site: Site
  staging?: boolean
  chosen?: Chosen
}

/** A copy of a site as it is now, or of one of its backups. */
export function CloneSite({ site, ...props }: CloneSiteProps) {
  const { data } = useQuery({ ...siteBackupsQuery(site), enabled: props.open })
  const origin = { domain: site.domain, site, backups: data?.backups ?? [] }
  return <CloneDialog {...props} origin={origin} />
}
